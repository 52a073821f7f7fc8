print log(1), " ", round(log(10)*1000), " ", log(0) % out: 0 2303 -Inf
