print polyder([1,0,-1]), " ", polyder([5])
% out: [2, 0] [0]
