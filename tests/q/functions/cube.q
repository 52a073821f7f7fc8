print size(cube(2,3,4)), " ", type(cube[int](2,2,2)) % out: [2, 3, 4] cube[int]
