print xor(12,10), " ", xor(5,5)      % out: 6 0
