print mirror_ext(-1,4), " ", mirror_ext([-2,0,3,4,5,6],4) % out: 1 [2, 0, 3, 2, 1, 0]
