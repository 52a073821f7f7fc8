print imquantize([[1,5,9]], [3,7])
% out: [0, 1, 2]
