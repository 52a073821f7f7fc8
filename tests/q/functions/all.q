print all([0,1]), all([1,2]), all([]), all([[1,1],[1,0]]) % out: 0110
