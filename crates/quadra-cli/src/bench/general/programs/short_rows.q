% Rows that are shorter than a vector, and sums within an item.
function c : cube = products8(a : cube, b : cube)
    c = zeros(size(a))
    for p = 0..size(a,0)-1
        for i = 0..7
            for j = 0..7
                s = 0.0
                for k = 0..7
                    s += a[p,i,k]*b[p,k,j]
                endfor
                c[p,i,j] = s
            endfor
        endfor
    endfor
endfunction

function y : mat = block_sums(x : mat)
    h = int(size(x,0)/8)
    w = int(size(x,1)/8)
    y = zeros(h, w)
    for m = 0..h-1
        for n = 0..w-1
            s = 0.0
            for k = 0..7
                for l = 0..7
                    s += x[8*m+k,8*n+l]
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

function at : vec[int] = nearest(x : mat)
    at = vec[int](size(x,0))
    for m = 0..size(x,0)-1
        best = 1e30
        where_ = 0
        for n = 0..size(x,1)-1
            if x[m,n] < best
                best = x[m,n]
                where_ = n
            endif
        endfor
        at[m] = where_
    endfor
endfunction

function y : vec[int] = counts(x : vec)
    blocks = int(numel(x)/16)
    y = vec[int](blocks)
    for m = 0..blocks-1
        c = 0
        for n = 0..15
            if x[16*m+n] > 0.5
                c += 1
            endif
        endfor
        y[m] = c
    endfor
endfunction

function y : mat = unit_rows(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s += x[m,n]^2
        endfor
        f = 1/sqrt(s)
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n]*f
        endfor
    endfor
endfunction

function y : mat = softmax(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        most = -1e30
        for n = 0..size(x,1)-1
            most = max(most, x[m,n])
        endfor
        s = 0.0
        for n = 0..size(x,1)-1
            s += exp(x[m,n] - most)
        endfor
        for n = 0..size(x,1)-1
            y[m,n] = exp(x[m,n] - most)/s
        endfor
    endfor
endfunction
