print smooth([1,5,3,4,2], 3)
% out: [1, 3, 4, 3, 2]
