% Arrays of zeros that loops within the items fill, wholly or but for some elements, in memory that held something else.
function y : mat = whole(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        s = sum(x[m,:])
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] + s
        endfor
    endfor
endfunction
function y : mat = columns(x : mat)
    y = zeros(size(x))
    for n = 0..size(x,1)-1
        s = 0.0
        for m = 0..size(x,0)-1
            s = max(s, x[m,n])
            y[m,n] = s
        endfor
    endfor
endfunction
function y : mat = but_last(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-2
            s = max(s, x[m,n])
            y[m,n] = s
        endfor
    endfor
endfunction
function y : mat = to_large(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s = max(s, x[m,n])
            if x[m,n] > 6
                break
            endif
            y[m,n] = s
        endfor
    endfor
endfunction
function y : mat = others(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s = max(s, x[m,n])
            if x[m,n] > 3
                y[m,n] = s
            endif
        endfor
    endfor
endfunction
function [] = used(h, w)
    y = zeros(h, w)
    for m = 0..h-1
        for n = 0..w-1
            y[m,n] = 77 + m
        endfor
    endfor
endfunction
for k = 0..3
    h = [40, 33, 64, 5][k]
    w = [7, 20, 48, 100][k]
    x = zeros(h, w)
    for m = 0..h-1
        for n = 0..w-1
            x[m,n] = mod(5*m + 3*n, 8)
        endfor
    endfor
    used(h, w)
    a = whole(x)
    used(h, w)
    b = columns(x)
    used(h, w)
    c = but_last(x)
    used(h, w)
    d = to_large(x)
    used(h, w)
    e = others(x)
    print sum(a), " ", sum(b), " ", sum(c), " ", sum(c[:,w-1]), " ", sum(d), " ", sum(e)
endfor
% out: 7840 1905 1390 0 685 880
% out: 48426 4463 4139 0 569 2221
% out: 526848 21150 20584 0 1096 10592
% out: 176346 2790 3425 0 93 1730
