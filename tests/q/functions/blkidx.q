y = zeros(5)
parallel_do([[5],[2]], y, __kernel__ (y : vec, pos : int, blkidx : int) -> y[pos] = blkidx)
print y
% out: [0, 0, 1, 1, 2]
