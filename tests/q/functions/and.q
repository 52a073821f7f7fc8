print and(12,10), " ", and(255,0Fh)  % out: 8 15
