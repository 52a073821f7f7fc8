% Nests whose iterations need those to the left and above.
function d : mat[int] = common(a : vec[int], b : vec[int])
    n = numel(a)
    m = numel(b)
    d = mat[int](n + 1, m + 1)
    {!serial for}
    for i = 1..n
        {!serial for}
        for j = 1..m
            d[i, j] = a[i - 1] == b[j - 1] ? d[i - 1, j - 1] + 1 : max(d[i - 1, j], d[i, j - 1])
        endfor
    endfor
endfunction
function d : mat = paths(x : mat)
    d = copy(x)
    {!serial for}
    for i = 1..size(x, 0) - 1
        {!serial for}
        for j = 1..size(x, 1) - 2
            d[i, j] = x[i, j] + min(d[i - 1, j - 1], min(d[i - 1, j], d[i - 1, j + 1])) + 0.25 * d[i, j - 1]
        endfor
    endfor
endfunction
function x : mat = relaxed(start : mat)
    x = copy(start)
    {!serial for}
    for i = 1..size(x, 0) - 2
        {!serial for}
        for j = 1..size(x, 1) - 2
            x[i, j] = 0.25 * (x[i - 1, j] + x[i, j - 1] + x[i + 1, j] + x[i, j + 1])
        endfor
    endfor
endfunction
function [] = report(h : int, w : int)
    a = vec[int](h)
    b = vec[int](w)
    x = zeros(h, w)
    for i = 0..h - 1
        a[i] = mod(i * i, 5)
        for j = 0..w - 1
            x[i, j] = mod(i * 17 + j * 31 + i * j * 7, 101)
        endfor
    endfor
    for j = 0..w - 1
        b[j] = mod(j * 7 + mod(j, 11), 5)
    endfor
    c = common(a, b)
    p = paths(x)
    r = relaxed(x)
    print h, " ", w, " ", c[h, w], " ", sum(c), " ", p[h - 1, w - 2], " ", r[h - 2, w - 2], " ", r[1, 1]
endfunction
report(40, 70)
report(64, 64)
report(100, 130)
report(33, 257)
% out: 40 70 30 35390 201.822 34.474 55
% out: 64 64 37 60091 269.517 53.8557 55
% out: 100 130 66 342860 172.859 21.9881 55
% out: 33 257 33 131061 268.619 54.2197 55
