print string(2.5)
% out: 2.5
