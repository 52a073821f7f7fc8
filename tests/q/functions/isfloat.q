print isfloat(2.5), isfloat(int(2)), isfloat("t"), isfloat([1.5,2])
% out: 1001
