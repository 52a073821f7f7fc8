print bitcmp(5, 8)
% out: 250
