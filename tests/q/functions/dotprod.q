print dotprod([1,2],[3,4]), " ", dotprod([1j,1],[1j,1]) % out: 11 0+0j
