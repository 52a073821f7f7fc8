print sqrt(complex(-4))              % out: 0+2j
