print scalar'half(2049), " ", scalar'half(0.1) == 0.1, " ", scalar'half(70000) % out: 2048 0 Inf
