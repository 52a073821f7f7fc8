print le([1,2],1)
% out: [1, 0]
