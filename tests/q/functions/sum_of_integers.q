print type(sum(int([1,2]))), " ", sum(5), " ", sum([1j,2]) % out: int 5 2+1j
