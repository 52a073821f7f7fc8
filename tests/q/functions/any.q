print any([0,1]), any([0,0]), any([]), any(5) % out: 1001
