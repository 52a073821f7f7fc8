print feval(max, 3, 7)
% out: 7
