y = zeros(1)
parallel_do(1, y, __kernel__ (y : vec, pos : int, warpsize : int) -> y[pos] = warpsize)
print y
% out: [32]
