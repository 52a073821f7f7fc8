print nonzeros([[0,2],[3,0]])
% out: [2, 3]
