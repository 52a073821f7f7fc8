print norm([3,4]), " ", norm([3j,4]), " ", norm([[1,1],[1,1]]) % out: 5 5 2
