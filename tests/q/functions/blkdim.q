y = zeros(4)
parallel_do([[4],[2]], y, __kernel__ (y : vec, pos : int, blkdim : int) -> y[pos] = blkdim)
print y
% out: [2, 2, 2, 2]
