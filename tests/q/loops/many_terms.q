% Sums of many integers: small ones, of either sign, large ones that fit, and ones that do not.
function x : mat[int] = made(h : int, w : int, by : int)
    x = mat[int](h, w)
    for m = 0..h - 1
        for n = 0..w - 1
            x[m, n] = by * (mod(m * 17 + n * 31 + m * n * 7, 101) - 50)
        endfor
    endfor
endfunction

% A window of nine, without its middle.
function y : mat[int] = ring(x : mat[int])
    y = mat[int](size(x, 0), size(x, 1))
    for m = 1..size(x, 0) - 2
        for n = 1..size(x, 1) - 2
            y[m, n] = x[m - 1, n - 1] + x[m - 1, n] + x[m - 1, n + 1] + x[m, n - 1] - x[m, n + 1] + x[m + 1, n - 1] + x[m + 1, n] + x[m + 1, n + 1]
        endfor
    endfor
endfunction

% Seven in a row of two arrays, with constants between, and steps of it in place.
function a : vec[int] = rows(x : vec[int], z : vec[int], steps : int)
    a = copy(x)
    b = copy(x)
    for t = 1..steps
        for n = 3..numel(x) - 4
            b[n] = a[n - 3] + a[n - 2] + 7 - z[n - 1] + a[n] + z[n + 1] - a[n + 2] + a[n + 3] - 1000
        endfor
        [a, b] = [b, a]
    endfor
endfunction

% What is written between two parts of a sum.
function [y : vec[int], z : vec[int]] = between(x : vec[int])
    n = numel(x)
    y = copy(x)
    z = vec[int](n)
    for i = 0..n - 7
        s = x[i] + x[i + 1] + x[i + 2] + y[i]
        y[i] = s
        z[i] = s + x[i + 3] + x[i + 4] + x[i + 5] + x[i + 6]
    endfor
endfunction

for by = [1, -3, 1000000, 5368709]
    x = made(40, 70, by)
    y = ring(x)
    print by, " ", y[1, 1], " ", y[20, 33], " ", y[38, 68], " ", mod(y[7, 7], 1000)
    v = made(1, 300, by)[0, :]
    w = made(1, 301, 2)[0, :]
    a = rows(v, w[1..300], by > 1000 ? 1 : 5)
    print a[3], " ", a[100], " ", a[296]
    [b, c] = between(v)
    print b[0..2], " ", c[293], " ", c[100]
endfor
% One sum in one place is too large, and its parts in turn would fit.
function [] = attempt(p : int, q : int)
    x = made(40, 70, 1)
    x[p - 1, q - 1] = 2000000000
    x[p - 1, q] = 147483647 - x[p - 1, q]
    x[p, q + 1] = 2000000000
    try
        y = ring(x)
        print y[p, q]
    catch e
        print e
    endtry
    x[p - 1, q] = 147483647 - 3
    x[p - 1, q + 1] = 3
    try
        y = ring(x)
        print y[p, q]
    catch e
        print e
    endtry
endfunction
attempt(20, 33)
attempt(1, 1)
attempt(38, 68)
attempt(5, 64)
% out: 1 -147 7 -72 978
% out: -12372 -122229 -94020
% out: [-107, 17, 40] 94 3
% out: -3 441 -21 216 66
% out: 8652 -110469 -84764
% out: [321, -51, -120] -282 -9
% out: 1000000 -147000000 7000000 -72000000 0
% out: 4998929 36998929 84998929
% out: [-107000000, 17000000, 40000000] 94000000 3000000
% out: 5368709 -789200223 37580963 -386547048 402
% out: 26842474 198641162 456339194
% out: [-574451863, 91268053, 214748360] 504658646 16106127
% out: integer overflow in 2000000061 + 147483618
% out: integer overflow in 2000000061 + 147483644
% out: integer overflow in 2000000000 + 147483666
% out: 147483600
% out: integer overflow in 2000000110 + 147483649
% out: integer overflow in 2000000110 + 147483644
% out: integer overflow in 2000000111 + 147483691
% out: integer overflow in 2000000111 + 147483644
