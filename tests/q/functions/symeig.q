print symeig([[2,0],[0,1]]), " ", round(symeig([[4,1],[1,4]])) % out: [1, 2] [3, 5]
