print trace(eye(3)), " ", trace([[1,2],[3,4]]) % out: 3 5
