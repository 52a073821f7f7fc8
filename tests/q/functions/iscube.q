print iscube([1,2]), iscube(ones(2,2,2)), iscube(ones(2,2,2,2)), iscube(1) % out: 1100
