print lt([1,2],2)
% out: [1, 0]
