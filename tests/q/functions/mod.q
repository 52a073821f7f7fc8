print mod(-1,5), " ", mod(7,3), " ", mod(5.5,2), " ", mod(1,-3) % out: 4 1 1.5 -2
