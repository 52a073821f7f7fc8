print atan2(0,1), " ", round(atan2(1,0)*1000), " ", round(atan2(-1,-1)*1000) % out: 0 1571 -2356
