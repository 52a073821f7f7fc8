print pow2(3)
% out: 8
