o = imshow([[1,3],[2,1]], [1,3])
print imread(o.file)
% out: [[0, 255],
% out:  [128, 0]]
