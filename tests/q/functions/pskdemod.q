print pskdemod(pskmod([0,1,2,3], 4), 4)
% out: [0, 1, 2, 3]
