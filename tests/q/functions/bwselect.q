print bwselect([[1,0,1]], [0], [0])
% out: [1, 0, 0]
