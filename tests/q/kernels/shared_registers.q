% Shared memory at every kind of index: in registers where the device has no nearer memory.
function [] = __kernel__ rows(x : vec, y : mat, n : int, pos : int, blkpos : int, blkidx : int)
    s = shared(48)
    t = vec[int](3)
    s[blkpos] = x[pos]
    syncthreads
    % Neighbours across rows, an element that all read, an element of each item's own.
    y[0, pos] = s[mod(blkpos + 5, 48)] + s[max(blkpos - 3, 0)]
    y[1, pos] = s[n] - s[17]
    y[2, pos] = s[mod(blkpos * 7 + n, 48)]
    syncthreads
    % Written by each item somewhere else, then by one item, then at a distance that the launch decides.
    s[mod(blkpos * 11 + 4, 48)] = x[pos] * 2
    syncthreads
    if blkpos == 3
        s[n] = 100 + blkidx
    endif
    syncthreads
    y[3, pos] = s[blkpos]
    syncthreads
    if blkpos + n < 48
        s[blkpos + n] = blkpos
    endif
    syncthreads
    y[4, pos] = s[blkpos]
endfunction
x = 0.5 * (0..95)
y = zeros(5, 96)
parallel_do([[96],[48]], x, y, 9, rows)
for r = 0..4
    print y[r, 0..4..95]
endfor
function [] = __kernel__ counts(x : vec[int], h : mat, old : vec, pos : int, blkpos : int, blkidx : int)
    bins = shared_zeros(20)
    syncthreads
    bins[x[pos]] += 1
    syncthreads
    old[pos] = (bins[0] += 0.25 * blkpos)
    syncthreads
    if blkpos < 20
        h[blkidx, blkpos] = bins[blkpos]
    endif
endfunction
c = vec[int](64)
for i = 0..63
    c[i] = 1 + mod(i * i, 19)
endfor
h = zeros(2, 20)
old = zeros(64)
parallel_do([[64],[32]], c, h, old, counts)
print h[0, :]
print h[1, :]
print old[0..7]
function [] = __kernel__ product(A : mat, B : mat, C : mat, pos : ivec2, blkpos : ivec2)
    ta = shared(4, 8)
    tb = shared(8, 4)
    s = 0.0
    for t = 0..8..size(A, 1) - 1
        ta[blkpos[0], blkpos[1]] = A[pos[0], t + blkpos[1]]
        ta[blkpos[0], blkpos[1] + 4] = A[pos[0], t + blkpos[1] + 4]
        tb[blkpos[0], blkpos[1]] = B[t + blkpos[0], pos[1]]
        tb[blkpos[0] + 4, blkpos[1]] = B[t + blkpos[0] + 4, pos[1]]
        syncthreads
        for k = 0..7
            s += ta[blkpos[0], k] * tb[k, blkpos[1]]
        endfor
        syncthreads
    endfor
    C[pos] = s
endfunction
A = reshape(0..191, 12, 16) - 100
B = reshape(0..127, 16, 8) / 8
C = zeros(12, 8)
parallel_do([[12, 8], [4, 4]], A, B, C, product)
print sum(abs(C - A * B))
% out: [2.5, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 21, 50.5, 53, 57, 61, 65, 69, 73, 77, 81, 85, 89, 69]
% out: [-4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4]
% out: [4.5, 18.5, 8.5, 22.5, 12.5, 2.5, 16.5, 6.5, 20.5, 10.5, 0.5, 14.5, 28.5, 42.5, 32.5, 46.5, 36.5, 26.5, 40.5, 30.5, 44.5, 34.5, 24.5, 38.5]
% out: [4, 0, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 52, 48, 92, 88, 84, 80, 76, 72, 68, 64, 60, 56]
% out: [4, 0, 44, 3, 7, 11, 15, 19, 23, 27, 31, 35, 52, 48, 92, 3, 7, 11, 15, 19, 23, 27, 31, 35]
% out: [124, 2, 3, 0, 0, 3, 4, 3, 4, 0, 3, 0, 4, 0, 0, 0, 0, 3, 3, 0]
% out: [124, 2, 4, 0, 0, 4, 2, 4, 2, 0, 4, 0, 2, 0, 0, 0, 0, 4, 4, 0]
% out: [0, 0.25, 0.75, 1.5, 2.5, 3.75, 5.25, 7]
% out: 0
