print imextendedmax([1,5,2], 2)
% out: [0, 1, 0]
