print wthresh([-3,1,5], "s", 2)
% out: [-1, 0, 3]
