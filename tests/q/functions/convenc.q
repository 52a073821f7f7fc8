print convenc([1,0,1,1,0,0], poly2trellis(3, [7,5]))
% out: [1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1]
