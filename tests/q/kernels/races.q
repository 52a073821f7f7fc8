% args: --check-races
% Two work items access one element, nothing orders them.
function [] = __kernel__ ordered(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    t = shared(8)
    t[blkpos] = x[pos]
    syncthreads
    y[pos] = t[blkdim-1-blkpos]
endfunction
function [] = __kernel__ counts(x : vec, h : vec, pos : int)
    h[x[pos]] += 1
endfunction
function [] = __kernel__ shift(x : mat, pos : ivec2)
    a = x[pos[0]+1,pos[1]]
    x[pos] = a  % error[Q0431]: race: 'x[1,0]' is written here by position [1,0] and read at
endfunction
x = 0..15
y = zeros(16)
parallel_do([[16],[8]], x, y, ordered)
print sum(y)  % out: 120
h = zeros(3)
parallel_do(16, mod(x, 3), h, counts)
print h  % out: [6, 5, 5]
m = ones(4,5)
parallel_do(size(m), m, shift)
