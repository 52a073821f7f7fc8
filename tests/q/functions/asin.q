print asin(0), " ", round(asin(1)*1000) % out: 0 1571
