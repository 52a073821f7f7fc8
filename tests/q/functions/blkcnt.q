y = zeros(5)
parallel_do([[5],[2]], y, __kernel__ (y : vec, pos : int, blkcnt : int) -> y[pos] = blkcnt)
print y
% out: [3, 3, 3, 3, 3]
