print ind2pos([3,4,5],37), " ", ind2pos([1,9],4) % out: [1, 3, 2] [4]
