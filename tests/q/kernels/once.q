% Statements that a block executes once stand between those of its items: what items wrote before is there behind them.
function [] = __kernel__ steps(y : vec, n : int, pos : int, blkpos : int)
    m = n
    s = shared(16)
    s[blkpos] = pos + 1
    syncthreads
    y[pos] = s[0] + m
    a = y[pos]*2
    m = m + 1
    y[pos] += m
    m = m*2
    a = a + m
    y[pos] = y[pos] + a
endfunction

function [] = __kernel__ rounds(y : vec, x : vec, n : int, pos : int, blkpos : int, blkdim : int)
    s = shared(16)
    total = 0.0
    first = 0
    for t = 0..n-1
        s[blkpos] = x[mod(pos + first, numel(x))]
        twice = s[blkpos]*2
        first = first + 3
        total = total + twice
        syncthreads
        total = total + s[blkdim-1-blkpos]
        syncthreads
    endfor
    last = first + 1
    y[pos] = total
    last = last + 1
    y[pos] -= last
endfunction

function [] = __kernel__ small(y : vec, n : int, pos : int, blkpos : int)
    v = [0,0,0]
    s = shared(16)
    s[blkpos] = pos
    k = n
    v[1] = pos
    k = k + 1
    v[2] = v[1] + k
    syncthreads
    y[pos] = v[2] + s[0]
endfunction

y = zeros(16)
parallel_do([[16],[8]], y, 2, steps)
print y
y = zeros(16)
parallel_do([[16],[8]], y, [3,1,4,1,5], 3, rounds)
print y
y = zeros(16)
parallel_do([[16],[8]], y, 2, small)
print y
% out: [18, 18, 18, 18, 18, 18, 18, 18, 42, 42, 42, 42, 42, 42, 42, 42]
% out: [7, 19, 10, 15, 20, 7, 19, 10, 8, 25, 6, 17, 15, 8, 25, 6]
% out: [3, 4, 5, 6, 7, 8, 9, 10, 19, 20, 21, 22, 23, 24, 25, 26]
