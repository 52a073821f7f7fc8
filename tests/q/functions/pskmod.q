print round(real(pskmod([0,1,2,3], 4)))
% out: [1, 0, -1, 0]
