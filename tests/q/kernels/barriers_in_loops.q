% Barriers in while and repeat, under conditions that the block shares.
function [] = __kernel__ total(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    bins = shared(blkdim)
    bins[blkpos] = x[pos]
    syncthreads
    stride = blkdim / 2
    while stride >= 1
        if blkpos < stride
            bins[blkpos] += bins[blkpos+stride]
        endif
        syncthreads
        stride /= 2
    endwhile
    if blkpos == 0
        y[0] += bins[0]
    endif
endfunction
y = zeros(1)
parallel_do(64, ones(64), y, total)
print y[0]   % out: 64
function [] = __kernel__ settle(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    b = shared(64)
    b[blkpos] = x[pos]
    k = 0
    syncthreads
    repeat
        v = b[mod(blkpos+1,64)]
        syncthreads
        b[blkpos] = (b[blkpos] + v) / 2
        syncthreads
        k += 1
    until k == 5
    y[pos] = b[blkpos]
endfunction
y = zeros(64)
parallel_do(64, mod(0..63,4), y, settle)
print y[0..3]   % out: [1.75, 1.5, 1.25, 1.5]
function [] = __kernel__ run(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    b = shared(64)
    b[blkpos] = x[pos]
    more = shared[int](1)
    syncthreads
    more[0] = 1
    syncthreads
    while more[0] > 0
        syncthreads
        if blkpos == 0
            more[0] = 0
        endif
        v = b[blkpos] + 1
        syncthreads
        if b[blkpos] < 3
            more[0] = 1
        endif
        b[blkpos] = v
        syncthreads
    endwhile
    y[pos] = b[blkpos]
endfunction
y = zeros(64)
parallel_do(64, mod(0..63,4), y, run)
print y[0..3]   % out: [4, 5, 6, 7]
