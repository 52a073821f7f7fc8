print 1+eps > 1, 1+eps/2 > 1, " ", eps % out: 10 1.19209e-07
