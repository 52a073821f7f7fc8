print imag(3+4j), " ", imag(5), " ", imag([1+2j,3j]) % out: 4 0 [2, 3]
