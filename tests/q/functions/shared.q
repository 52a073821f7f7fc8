function [] = __kernel__ k(y : vec, pos : int, blkpos : int, blkdim : int)
s = shared(8)
s[blkpos] = pos
syncthreads
y[pos] = s[blkdim-1-blkpos]
endfunction
y = zeros(8)
parallel_do([[8],[8]], y, k)
print y
% out: [7, 6, 5, 4, 3, 2, 1, 0]
