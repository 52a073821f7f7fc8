seed(1)
print size(wgn(2, 3, 0))
% out: [2, 3]
