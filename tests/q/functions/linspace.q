print linspace(1,2,5), " ", linspace(0,1,1), " ", linspace(3,0,4) % out: [1, 1.25, 1.5, 1.75, 2] [1] [3, 2, 1, 0]
