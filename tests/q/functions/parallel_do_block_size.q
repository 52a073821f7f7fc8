function [] = __kernel__ k(y : mat, blkidx : ivec2, pos : ivec2)
y[pos] = blkidx[0]*10 + blkidx[1]
endfunction
y = zeros(4,4)
parallel_do([[4,4],[2,2]], y, k)
print y
% out: [[0, 0, 1, 1],
% out:  [0, 0, 1, 1],
% out:  [10, 10, 11, 11],
% out:  [10, 10, 11, 11]]
