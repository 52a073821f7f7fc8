print imlincomb(2, [1,2], 0.5, [4,4])
% out: [4, 6]
