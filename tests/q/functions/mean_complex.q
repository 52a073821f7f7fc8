print mean([1+1j,3+3j])              % out: 2+2j
