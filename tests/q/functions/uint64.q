print uint64(7), " ", maxvalue(uint64) % out: 7 18446744073709551615
