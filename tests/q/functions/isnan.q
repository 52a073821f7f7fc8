print isnan(nan), isnan(1), " ", isnan([nan,1]) % out: 10 [1, 0]
