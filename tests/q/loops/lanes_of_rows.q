% Recurrences along rows, of which each item has one: rows of all lengths, several arrays, integers and floats, forward and from the end.
function x = noise(h, w)
    x = zeros(h, w)
    for m = 0..h - 1
        for n = 0..w - 1
            x[m, n] = mod(m * 17 + n * 31 + m * n * 7, 101) - 50
        endfor
    endfor
endfunction

% The largest number so far, and where it stands.
function [y, at] = largest(x)
    y = zeros(size(x))
    at = mat[int](size(x, 0), size(x, 1))
    for m = 0..size(x, 0) - 1
        best = -1e9
        where_ = 0
        for n = 0..size(x, 1) - 1
            if x[m, n] > best
                best = x[m, n]
                where_ = n
            endif
            y[m, n] = best
            at[m, n] = where_
        endfor
    endfor
endfunction

% Equations of three diagonals: forward, and back again.
function u = solved(a, b, r)
    h = size(r, 0)
    w = size(r, 1)
    u = zeros(h, w)
    c = zeros(h, w)
    for m = 0..h - 1
        d = b[m, 0]
        u[m, 0] = r[m, 0] / d
        for n = 1..w - 1
            c[m, n] = a[m, n - 1] / d
            d = b[m, n] - a[m, n] * c[m, n]
            u[m, n] = (r[m, n] - a[m, n] * u[m, n - 1]) / d
        endfor
        for k = 1..w - 1
            u[m, w - 1 - k] = u[m, w - 1 - k] - c[m, w - k] * u[m, w - k]
        endfor
    endfor
endfunction

% Whole numbers: bits that have been seen, from a column on.
function y : mat[int] = seen(x : mat[int], from : int)
    y = mat[int](size(x, 0), size(x, 1))
    for m = 0..size(x, 0) - 1
        s = x[m, 0]
        for n = from..size(x, 1) - 1
            s = or(and(s * 2, 1023), and(x[m, n], 1))
            y[m, n] = s
        endfor
    endfor
endfunction

function x : mat[int] = whole(h : int, w : int)
    x = mat[int](h, w)
    for m = 0..h - 1
        for n = 0..w - 1
            x[m, n] = mod(m * 17 + n * 31 + m * n * 7, 101)
        endfor
    endfor
endfunction

function [] = report(h : int, w : int)
    x = noise(h, w)
    [y, at] = largest(x)
    u = solved(x / 100, noise(h, w) * 0 + 3, x + 1)
    s = seen(whole(h, w), 0)
    t = seen(whole(h, w), 3)
    print h, " ", w, " ", sum(y), " ", sum(at), " ", int(1000 * sum(u)), " ", sum(s), " ", sum(t), " ", y[h - 1, w - 1], " ", s[h - 1, w - 1]
endfunction
report(16, 16)
report(48, 37)
report(64, 15)
report(32, 100)
report(50, 33)
report(128, 64)
% out: 16 16 8356 1051 134054 104577 81048 50 589
% out: 48 37 72188 15987 1047075 865200 792567 50 611
% out: 64 15 32213 3360 774958 428280 329049 50 301
% out: 32 100 145862 74998 1949872 1617145 1567018 50 825
% out: 50 33 66140 13038 1036273 801669 726990 49 225
% out: 128 64 361110 127311 3706567 4097055 3902685 50 338
