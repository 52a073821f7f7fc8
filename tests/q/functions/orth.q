q = orth([[1,2],[2,4]])
print size(q), " ", round(1000*abs(q))
% out: [2, 1] [[447],
% out:  [894]]
