% Blocks that work together: variables of items and of the block across barriers, partial blocks, two dimensions.
function [] = __kernel__ tree(x : vec, out : vec, pos : int, blkpos : int, blkdim : int, blkidx : int)
    t = shared(32)
    t[blkpos] = x[pos]
    syncthreads
    half = int(blkdim / 2)
    while half > 0
        if blkpos < half
            t[blkpos] = t[blkpos] + t[blkpos+half]
        endif
        syncthreads
        half = int(half / 2)
    endwhile
    if blkpos == 0
        out[blkidx] = t[0]
    endif
endfunction
x = 0..63
out = zeros(2)
parallel_do([[64],[32]], x, out, tree)
print out  % out: [496, 1520]
function [] = __kernel__ across(x : mat, y : mat, pos : ivec2, blkpos : ivec2)
    t = shared(4,8)
    own = x[pos] * 2
    t[blkpos[0],blkpos[1]] = own
    syncthreads
    total = 0.0
    for k = 0..1
        other = t[blkpos[0],7-blkpos[1]]
        total += other + k
        syncthreads
    endfor
    y[pos] = total + own
endfunction
a = reshape(0..47, 6, 8)
b = zeros(6,8)
parallel_do([[6,8],[4,8]], a, b, across)
print b[0,:], " ", b[5,7]  % out: [29, 27, 25, 23, 21, 19, 17, 15] 255
