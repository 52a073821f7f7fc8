print im2single([[0,255]])
% out: [0, 1]
