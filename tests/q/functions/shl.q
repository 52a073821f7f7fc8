print shl(1,4), " ", shl(3,2)        % out: 16 12
