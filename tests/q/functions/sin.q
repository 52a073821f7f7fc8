print sin(0), " ", round(sin(pi/6)*1000), " ", sin([0,0]) % out: 0 500 [0, 0]
