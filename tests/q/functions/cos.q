print cos(0), " ", round(cos(pi/3)*1000), " ", round(cos(pi)) % out: 1 500 -1
