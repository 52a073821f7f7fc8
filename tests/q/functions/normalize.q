print normalize(transpose([1,2,3]))
% out: [[-1],
% out:  [0],
% out:  [1]]
