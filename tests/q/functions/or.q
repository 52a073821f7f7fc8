print or(12,10), " ", or(8,1)        % out: 14 9
