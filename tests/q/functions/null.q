n = null([[1,0,0],[0,1,0]])
print size(n), " ", abs(n[2,0]), " ", numel(null(eye(2)))
% out: [3, 1] 1 0
