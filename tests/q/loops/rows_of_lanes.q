% Short rows of which each iteration has its own: neighbouring elements of sixteen rows are squares of memory that are turned over.
% out: 779 6 18 237 4 3
% out: 220898 540 -430 -54
% out: 15595800 -4900 -5100 11100
% out: 121439 1909 1805
% out: 439174 784 404 61
% out: 3966 23 0 9
% out: 3738 -5 4 4
% out: 1723 6 12 275 0 1
% out: 327148 540 201 -54
% out: 19162200 -4900 5700 11100
% out: 181823 1909 2116
% out: 752336 784 349 54
% out: 12792 36 3 9
% out: 8142 -5 4 4
% out: 7952 37 3 607 0 1
% out: 1095028 540 -433 -54
% out: 66488500 -4900 -11700 11100
% out: 607262 1909 1992
% out: 2714864 784 346 6
% out: 61138 49 2 9
% out: 35797 -5 4 4
function [at : vec[int], low : vec] = extremes(x : mat)
    at = vec[int](size(x,0))
    low = zeros(size(x,0))
    for m = 0..size(x,0)-1
        best = x[m,0]
        least = x[m,0]
        w = 0
        for n = 1..size(x,1)-1
            if x[m,n] > best
                best = x[m,n]
                w = n
            endif
            if x[m,n] < least
                least = x[m,n]
            endif
        endfor
        at[m] = w
        low[m] = least
    endfor
endfunction

% As long rows as are loaded, stored from the last to the first.
function y : mat = backward(x : mat, n : int)
    y = zeros(size(x,0), 12)
    for m = 0..size(x,0)-1
        s = 0.0
        for k = 0..11
            s += x[m,k]
        endfor
        for k = 0..11
            y[m,11-k] = x[m,k]*12 - s
        endfor
    endfor
endfunction

function y : mat[int16] = differences(x : mat[int16])
    y = mat[int16](size(x,0), 20)
    for m = 0..size(x,0)-1
        last = 0
        for k = 0..19
            y[m,k] = x[m,k+1] - last
            last = x[m,k+1]
        endfor
    endfor
endfunction

function y : vec[int] = bytes(x : mat[uint8])
    y = vec[int](size(x,0))
    for m = 0..size(x,0)-1
        s = 0
        for k = 0..23
            s = max(s, x[m,k]*(k + 1))
        endfor
        y[m] = s
    endfor
endfunction

% What one iteration has stored and another one does not read.
function x : mat = in_place(a : mat)
    x = copy(a)
    for m = 0..size(x,0)-1
        for k = 1..15
            x[m,k] = x[m,k] + x[m,k-1]
        endfor
    endfor
endfunction

% Streaks: the element before is read under a condition.
function y : mat[int] = streaks(x : mat)
    y = mat[int](size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 1..size(x,1)-1
            y[m,n] = x[m,n] > 20 ? y[m,n-1] + 1 : 0
        endfor
    endfor
endfunction

function y : mat[int] = falls(x : mat)
    y = mat[int](size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        y[m,size(x,1)-1] = 3
        for n = 2..size(x,1)
            if x[m,size(x,1)-n] < x[m,0]
                y[m,size(x,1)-n] = max(y[m,size(x,1)-n+1] - 1, -5)
            else
                y[m,size(x,1)-n] = 4
            endif
        endfor
    endfor
endfunction

for k = 0..2
    h = [64, 100, 333][k]
    w = [24, 37, 50][k]
    x = zeros(h, w)
    x8 = mat[uint8](h, w)
    x16 = mat[int16](h, w)
    for m = 0..h-1
        for n = 0..w-1
            v = mod(m*31 + n*17 + m*n, 97)
            x[m,n] = v
            x8[m,n] = v
            x16[m,n] = 300*v - 10000
        endfor
    endfor
    [at, low] = extremes(x)
    print sum(at), " ", at[5], " ", at[h-1], " ", sum(low), " ", low[17], " ", low[h-1]
    b = backward(x, w)
    print sum(abs(b)), " ", b[0,0], " ", b[h-1,11], " ", b[20,3]
    d = differences(x16)
    print sum(abs(d)), " ", d[0,0], " ", d[h-1,19], " ", d[20,3]
    e = bytes(x8)
    print sum(e), " ", e[0], " ", e[h-1]
    p = in_place(x)
    print sum(p), " ", p[3,15], " ", p[h-1,7], " ", p[h-1,20]
    s = streaks(x)
    print sum(s), " ", max(s), " ", s[h-1,w-1], " ", s[7,9]
    f = falls(x)
    print sum(f), " ", min(f), " ", f[h-1,0], " ", f[7,9]
endfor
