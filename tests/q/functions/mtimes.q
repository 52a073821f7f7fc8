print mtimes([[1,2]],[[3],[4]])
% out: [11]
