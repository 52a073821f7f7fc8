print size(uninit(2,3)), " ", sum(uninit(4)) % out: [2, 3] 0
