print tan(0), " ", round(tan(pi/4)*1000) % out: 0 1000
