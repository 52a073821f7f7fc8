print cosh(0), " ", round(cosh(1)*1000) % out: 1 1543
