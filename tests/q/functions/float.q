print type(float(3)), " ", float(3), " ", float([1,2]) % out: scalar 3 [1, 2]
