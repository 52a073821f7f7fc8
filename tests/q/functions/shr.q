print shr(256,3), " ", shr(7,1)      % out: 32 3
