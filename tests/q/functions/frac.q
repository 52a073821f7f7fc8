print frac(2.75), " ", frac(-0.25), " ", frac(3) % out: 0.75 0.75 0
