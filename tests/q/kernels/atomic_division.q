% Atomic division: of one element by all items, of shared elements by some, and what stood there before.
function [] = __kernel__ halves(a : vec, b : vec, old : vec, pos : int)
    a[0] /= 2
    b[mod(pos, 4)] /= pos + 1
    if mod(pos, 3) == 1
        a[1 + mod(pos, 2)] /= -4
    endif
    old[pos] = (a[3 + pos] /= 0.5)
endfunction
a = [2.0^40, 64, 4096, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
b = 6 * ones(4)
old = zeros(20)
parallel_do(20, a, b, old, halves)
print a
print old[0..3]
print abs(b[0] * 1 * 5 * 9 * 13 * 17 - 6) < 0.001, " ", abs(b[3] * 4 * 8 * 12 * 16 * 20 - 6) < 0.001
function [] = __kernel__ together(y : vec, pos : int, blkpos : int)
    s = shared(20)
    s[blkpos] = 2^blkpos
    syncthreads
    s[mod(blkpos, 5)] /= 2
    syncthreads
    y[pos] = s[blkpos]
endfunction
y = zeros(40)
parallel_do([[40],[20]], y, together)
print y[0..19]
print sum(abs(y[0..19] - y[20..39]))
% out: [1048576, -1, 16, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40]
% out: [2, 4, 6, 8]
% out: 1 1
% out: [0.0625, 0.125, 0.25, 0.5, 1, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288]
% out: 0
