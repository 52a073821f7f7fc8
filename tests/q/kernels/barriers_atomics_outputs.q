% Kernels: barriers, atomics, outputs, blocks.
function [] = __kernel__ sums(x : vec, out : vec, pos : int, blkpos : int, blkidx : int, blkdim : int)
    s = shared(64)
    s[blkpos] = x[pos]
    syncthreads
    n = int(blkdim / 2)
    while n > 0
        if blkpos < n
            s[blkpos] = s[blkpos] + s[blkpos + n]
        endif
        syncthreads
        n = int(n / 2)
    endwhile
    if blkpos == 0
        out[blkidx] = s[0]
    endif
endfunction
x = 1..128
out = zeros(2)
parallel_do([[128],[64]], x, out, sums)
print out
function [n : int, best : scalar] = __kernel__ count(x : vec, pos : int)
    n += 1
    best ^^= x[pos]
endfunction
[n, best] = parallel_do(128, x, count)
print n, " ", best
function [] = __kernel__ slots(cnt : vec[int], place : vec, pos : int)
    place[pos] = (cnt[0] += 1)
endfunction
cnt = vec[int](1)
place = zeros(5)
parallel_do(5, cnt, place, slots)
print place
function [] = __kernel__ edge(x : mat'mirror, y : mat, pos : ivec2)
    y[pos] = x[pos - [1,1]] + x[pos + [1,1]]
endfunction
m = reshape(0..5, 2, 3)
y = zeros(2,3)
parallel_do(size(m), m, y, edge)
print y
% falls back: kernel 'diverge'
function [] = __kernel__ diverge(y : vec, pos : int, blkpos : int)
    if blkpos < 2
        syncthreads
    endif
    y[pos] = 1
endfunction
try
    parallel_do([[4],[4]], zeros(4), diverge)
catch e
    print e
endtry
sq = __device__ (x : scalar) -> x * x
print sq(3)
z = zeros(3)
parallel_do(3, __kernel__ (pos : int) -> z[pos] = sq(pos))
print z
parallel_do(size(z), z, __kernel__ (z : vec, pos) -> z[pos] += 1)
print z
serial_do([2,2], z, __kernel__ (z : vec, pos : ivec2) -> z[0] = 10*pos[0] + pos[1])
print z[0]
% out: [2080, 6176]
% out: 128 128
% out: [1, 2, 3, 4, 5]
% out: [[8, 8, 8],
% out:  [2, 2, 2]]
% out: not all threads of the block reach the barrier
% out: 9
% out: [0, 1, 4]
% out: [1, 2, 5]
% out: 11
