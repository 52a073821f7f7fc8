x = reshape(0..15, [4,4])
print col2im(im2col(x, [2,2], "distinct"), [2,2], [4,4])
% out: [[0, 4, 8, 12],
% out:  [1, 5, 9, 13],
% out:  [2, 6, 10, 14],
% out:  [3, 7, 11, 15]]
