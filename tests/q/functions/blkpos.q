y = zeros(4)
parallel_do([[4],[2]], y, __kernel__ (y : vec, pos : int, blkpos : int) -> y[pos] = blkpos)
print y
% out: [0, 1, 0, 1]
