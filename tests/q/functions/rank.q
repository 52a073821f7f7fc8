print rank([[1,2],[2,4]]), rank(eye(3)), rank([[1,0,0],[0,1,0]]), rank(zeros(2,2)) % out: 1320
