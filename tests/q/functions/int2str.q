print int2str(2.7)
% out: 3
