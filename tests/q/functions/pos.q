y = zeros(2,3)
parallel_do(size(y), y, __kernel__ (y : mat, pos : ivec2) -> y[pos] = pos[0]*10+pos[1])
print y
% out: [[0, 1, 2],
% out:  [10, 11, 12]]
