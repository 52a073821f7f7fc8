print round(2.5), " ", round(-2.5), " ", round([0.49,1.5]) % out: 3 -3 [0, 2]
