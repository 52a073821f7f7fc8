print atan(0), " ", round(4*atan(1)*1000) % out: 0 3142
