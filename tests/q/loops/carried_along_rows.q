% Rows whose elements follow from the one before, in the array itself: filters, running extremes, both ways, several lengths.
function y : mat = filtered(x : mat, a : scalar)
    y = copy(x)
    for m = 0..size(x,0)-1
        for n = 1..size(x,1)-1
            y[m,n] = a*x[m,n] + (1-a)*y[m,n-1]
        endfor
    endfor
endfunction
function y : mat = highest(x : mat)
    y = copy(x)
    for m = 0..size(x,0)-1
        for n = 1..size(x,1)-1
            y[m,n] = max(y[m,n-1], x[m,n])
        endfor
    endfor
endfunction
function y : mat = back(x : mat)
    y = copy(x)
    for m = 0..size(x,0)-1
        for n = 1..size(x,1)-1
            k = size(x,1)-1-n
            y[m,k] = x[m,k] + 0.5*y[m,k+1]
        endfor
    endfor
endfunction
% Down the columns: lanes lie side by side, and the element of the row before is the lane's own.
function y : mat = down(x : mat)
    y = copy(x)
    for n = 0..size(x,1)-1
        for m = 1..size(x,0)-1
            y[m,n] = y[m-1,n] + x[m,n]
        endfor
    endfor
endfunction
function [] = report(h : int, w : int)
    x = zeros(h, w)
    for m = 0..h-1
        for n = 0..w-1
            x[m,n] = mod(m*17 + n*31 + m*n*7, 101)
        endfor
    endfor
    f = filtered(x, 0.5)
    g = highest(x)
    b = back(x)
    d = down(x)
    print h, " ", w, " ", f[h-1,w-1], " ", f[1,0], " ", sum(g), " ", g[h-1,0], " ", b[0,0], " ", b[h-1,w-1], " ", d[h-1,w-1], " ", sum(d)
endfunction
report(64, 128)
report(64, 64)
report(80, 33)
report(37, 130)
report(48, 2)
report(48, 1)
% out: 64 128 29.5716 17 792851 61 47.5855 11 3318 13442876
% out: 64 64 21.4732 17 385707 61 47.5855 2 3172 6730549
% out: 80 33 48.2798 17 239033 30 47.5855 33 4034 5402062
% out: 37 130 58.9677 17 463972 6 47.5855 52 1870 4629092
% out: 48 2 70 17 5280 92 15.5 48 2300 108171
% out: 48 1 92 17 2208 92 0 92 2208 50204
