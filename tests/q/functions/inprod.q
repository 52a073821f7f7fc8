print inprod([1,2,3],[1,2,3]), " ", inprod([[1],[2]],[3,4]) % out: 14 11
