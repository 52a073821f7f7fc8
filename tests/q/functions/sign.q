print sign(-3), " ", sign([-2.5,0,8]) % out: -1 [-1, 0, 1]
