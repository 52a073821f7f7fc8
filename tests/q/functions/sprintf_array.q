print sprintf("%d %s", [1,2,3], "x")
% out: [1, 2, 3] x
