print convmtx([1,2,3], 2)
print convmtx([[1],[2]], 2)
x = [4, 0, 1, 5]
h = [1, -2, 3]
print max(abs(x*convmtx(h, 4) - conv(x, h))), " ", max(abs(convmtx(transpose(h), 4)*transpose(x) - transpose(conv(x, h))))
% out: [[1, 2, 3, 0],
% out:  [0, 1, 2, 3]]
% out: [[1, 0],
% out:  [2, 1],
% out:  [0, 2]]
% out: 0 0
