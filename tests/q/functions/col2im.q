x = reshape(0..15, [4,4])
print col2im(im2col(x, [2,2], "distinct"), [2,2], [4,4])
% out: [[0, 1, 2, 3],
% out:  [4, 5, 6, 7],
% out:  [8, 9, 10, 11],
% out:  [12, 13, 14, 15]]
