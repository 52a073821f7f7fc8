y = zeros(4)
parallel_do(4, y, __kernel__ (y : vec, pos : int) -> y[pos] = pos*pos)
print y
% out: [0, 1, 4, 9]
