print size(zeros([4,5,6])), " ", size(zeros(5)) % out: [4, 5, 6] [1, 5]
