print saturate([-1,0.5,2]), " ", saturate(1) % out: [0, 0.5, 1] 1
