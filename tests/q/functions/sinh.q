print sinh(0), " ", round(sinh(1)*1000) % out: 0 1175
