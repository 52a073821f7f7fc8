print now() > 738000, " ", now() < 1000000
% out: 1 1
