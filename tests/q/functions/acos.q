print acos(1), " ", round(acos(-1)*1000) % out: 0 3142
