% Groups whose last lanes have no item: under a condition of the data, memory is read and written for those that have one, and the others'
% places, which lie behind its end, are left alone.
function [] = __kernel__ read(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    t = shared(blkdim)
    t[blkpos] = x[pos] + 1
    syncthreads
    own = x[pos]
    if mod(own, 13) > 5
        y[pos] = t[mod(pos*2, blkdim)] + t[blkpos]
    endif
endfunction
function [] = __kernel__ write(x : vec, y : vec, pos : int, blkpos : int)
    t = shared_zeros(20)
    syncthreads
    own = mod(x[pos], 7)
    if own > 2
        t[blkpos] = t[blkpos] + own
    endif
    syncthreads
    y[pos] = t[blkpos] + t[mod(pos + 1, 20)]
endfunction
function [] = __kernel__ both(x : vec, y : vec, pos : int, blkpos : int)
    t = shared(24)
    n = shared_zeros[int](24)
    syncthreads
    own = mod(x[pos], 5)
    t[blkpos] = own
    if own > 1
        n[blkpos] += int(own) + int(t[blkpos])
    endif
    syncthreads
    if own < 4
        y[pos] = t[blkpos] + n[blkpos] + n[mod(pos*3, 24)]
    endif
endfunction
for d = [17, 20, 24, 31]
    x = mod((0..d-1)*5, 23)
    y = zeros(d)
    parallel_do([[d],[d]], x, y, read)
    print d, ": ", sum(y), " ", y[d-4..d-1]
endfor
x = mod((0..19)*5, 11)
y = zeros(20)
parallel_do([[20],[20]], x, y, write)
print sum(y .* (0..19)), " ", y[14..19]
x = mod((0..23)*7, 11)
y = zeros(24)
parallel_do([[24],[24]], x, y, both)
print sum(y .* (0..23)), " ", y[14..23]
% out: 17: 240 [43, 0, 27, 19]
% out: 20: 276 [27, 0, 34, 0]
% out: 24: 317 [21, 0, 0, 0]
% out: 31: 401 [22, 0, 29, 21]
% out: 566 [4, 3, 3, 0, 0, 0]
% out: 1646 [0, 9, 6, 0, 8, 7, 13, 0, 0, 14]
