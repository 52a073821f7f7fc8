print real(3+4j), " ", real(5), " ", real([1+2j,3j]) % out: 3 5 [1, 0]
