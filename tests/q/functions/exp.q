print exp(0), " ", round(exp(1)*1000), " ", exp(-inf) % out: 1 2718 0
