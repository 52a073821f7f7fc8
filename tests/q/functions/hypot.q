print hypot(3,4), " ", hypot([5,8],[12,15]), " ", hypot(1e30,1e30) % out: 5 [13, 17] 1.41421e+30
