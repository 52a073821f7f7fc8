% Last axes that are narrower than a vector.
function c : cube = applied(a : cube, b : mat)
    c = zeros(size(a, 0), size(a, 1), size(b, 1))
    for p = 0..size(a, 0) - 1
        for i = 0..size(a, 1) - 1
            for j = 0..size(b, 1) - 1
                s = 1e30
                for k = 0..size(a, 2) - 1
                    s = min(s, a[p, i, k] + b[k, j])
                endfor
                c[p, i, j] = s
            endfor
        endfor
    endfor
endfunction
function y : mat[int] = around(x : mat[int])
    y = mat[int](size(x, 0), size(x, 1))
    for m = 0..size(x, 0) - 1
        for n = 0..size(x, 1) - 1
            l = x[m, mod(n - 1, size(x, 1))]
            r = x[m, mod(n + 1, size(x, 1))]
            y[m, n] = l - 3 * x[m, n] + r
        endfor
    endfor
endfunction
function [] = report(p : int, i : int, j : int)
    a = zeros(p, i, 6)
    b = zeros(6, j)
    for m = 0..p - 1
        for n = 0..i - 1
            for k = 0..5
                a[m, n, k] = mod(m * 17 + n * 31 + k * 7, 101)
            endfor
        endfor
    endfor
    for k = 0..5
        for n = 0..j - 1
            b[k, n] = mod(k * 53 + n * 29, 37)
        endfor
    endfor
    c = applied(a, b)
    x = mat[int](30 * p, j)
    for m = 0..30 * p - 1
        for n = 0..j - 1
            x[m, n] = mod(m * 17 + n * 31 + m * n, 101)
        endfor
    endfor
    y = around(x)
    print p, " ", i, " ", j, " ", sum(c), " ", c[p - 1, i - 1, j - 1], " ", sum(y[:, 0]), " ", y[30 * p - 1, j - 1]
endfunction
report(40, 5, 8)
report(33, 7, 3)
report(50, 4, 5)
report(20, 3, 11)
report(9, 30, 1)
report(12, 12, 16)
% out: 40 5 8 55219 15 -59733 153
% out: 33 7 3 22090 30 -49038 -97
% out: 50 4 5 31443 22 -74667 -166
% out: 20 3 11 22392 7 -29846 120
% out: 9 30 1 7271 25 -13274 -28
% out: 12 12 16 78890 37 -17259 -13
