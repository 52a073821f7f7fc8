print periodize(-1,5), " ", periodize(7,5), " ", periodize([-6,0,5],5) % out: 4 2 [4, 0, 0]
