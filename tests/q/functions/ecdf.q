[f, x] = ecdf([3,1,2,nan,2])
print f, x
print ecdf([])
% out: [0, 0.25, 0.75, 1][1, 1, 2, 3]
% out: [0]
