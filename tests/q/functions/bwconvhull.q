m = zeros(4,4)
m[0,0] = 1
m[3,0] = 1
m[0,3] = 1
print bwconvhull(m), bwconvhull(zeros(2,2))
% out: [[1, 1, 1, 1],
% out:  [1, 1, 1, 0],
% out:  [1, 1, 0, 0],
% out:  [1, 0, 0, 0]][[0, 0],
% out:  [0, 0]]
