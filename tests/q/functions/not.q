print not(0), " ", not(5), " ", not(-1) % out: -1 -6 0
