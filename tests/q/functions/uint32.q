print uint32(3e9), " ", uint32'sat(1e10) % out: 3000000000 4294967295
