print complex(1,2), " ", complex(3), " ", complex([1,2],[3,4]) % out: 1+2j 3+0j [1+3j, 2+4j]
