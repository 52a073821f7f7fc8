[b, a] = bilinear([1], [1,1], 0.5)
print b, a
% out: [0.5, 0.5][1, 0]
