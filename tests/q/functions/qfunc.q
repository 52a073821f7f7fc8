print qfunc(0)
% out: 0.5
