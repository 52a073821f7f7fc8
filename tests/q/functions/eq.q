print eq([1,2],[1,3])
% out: [1, 0]
