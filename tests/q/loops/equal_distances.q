% Elements at equal distances, of which some or all are read, in either order, in whole numbers and floats.
n = 208
s = vec[int](8 * n + 8)
for i = 0..8 * n + 7
    s[i] = mod(i * 7919, 1009)
endfor
% out: 2 104120 225 52796.5 36
% out: 3 105730 842 52592.5 344.5
% out: 4 103304 450 53397.5 148.5
% out: 5 104914 58 52689 457
% out: 6 104506 675 51980.5 261
% out: 7 105107 283 52281 65
% out: 8 103690 900 52581.5 373.5
f = 0.5 * s

% One of each stretch.
for d = 2..8
    a = vec[int](n)
    b = zeros(n)
    for i = 0..n - 1
        a[i] = s[d * i]
        b[i] = f[d * i + 1]
    endfor
    print d, " ", sum(a), " ", a[n - 1], " ", sum(b), " ", b[n - 1]
endfor

% The last ones of an array, so that nothing lies behind them.
function r : vec = last(f : vec, n : int)
    r = zeros(n)
    for i = 0..n - 1
        r[i] = f[2 * i] + 10 * f[3 * i]
    endfor
endfunction
function r : vec = fourth(f : vec, n : int)
    r = zeros(n)
    for i = 0..n - 1
        r[i] = f[4 * i]
    endfor
endfunction
r = last(f[0..3 * (n - 1)], n)
q = fourth(f[0..4 * (n - 1)], n)
print sum(r), " ", r[n - 1], " ", sum(q), " ", q[n - 1]
% out: 580710 4322.5 51652 225

% All of each stretch.
function r : vec[int] = all3(s : vec[int], n : int)
    r = vec[int](n)
    for i = 0..n - 1
        r[i] = s[3 * i] + 100 * s[3 * i + 1] - s[3 * i + 2]
    endfor
endfunction
function r : vec = all4(f : vec, n : int)
    r = zeros(n)
    for i = 0..n - 1
        r[i] = f[4 * i] * f[4 * i + 3] - f[4 * i + 1] * f[4 * i + 2]
    endfor
endfunction
function r : vec[int] = all5(s : vec[int], n : int)
    r = vec[int](n)
    for i = 0..n - 1
        r[i] = s[5 * i] + 2 * s[5 * i + 1] + 3 * s[5 * i + 2] + 4 * s[5 * i + 3] + 5 * s[5 * i + 4]
    endfor
endfunction
function r : vec = all6(f : vec, n : int)
    r = zeros(n)
    for i = 0..n - 1
        r[i] = f[6 * i] - 2 * f[6 * i + 1] + 3 * f[6 * i + 3] + 4 * f[6 * i + 4] - f[6 * i + 5]
    endfor
endfunction
function r : vec[int] = all7(s : vec[int], n : int)
    r = vec[int](n)
    for i = 0..n - 1
        r[i] = s[7 * i] - s[7 * i + 6] + 3 * s[7 * i + 3]
    endfor
endfunction
function r : vec = all8(f : vec, n : int)
    r = zeros(n)
    for i = 0..n - 1
        t = 0.0
        for k = 0..7
            t += f[8 * i + k] * (k + 1)
        endfor
        r[i] = t
    endfor
endfunction
print sum(all3(s, n)), " ", sum(all4(f, n)), " ", sum(all5(s, n)), " ", sum(all6(f, n)), " ", sum(all7(s, n)), " ", sum(all8(f, n))
% out: 10519590 -3818884 1570072 266954 312677 1.89077e+06
print all3(s, n)[n - 1], " ", all4(f, n)[n - 1], " ", all5(s, n)[17], " ", all6(f, n)[n - 2], " ", all7(s, n)[9], " ", all8(f, n)[n - 1]
% out: 69206 101808 9686 1596.5 2912 10915.5

% From the end, and what is written so.
function r : vec = back(f : vec, n : int)
    r = zeros(2 * n)
    for i = 0..n - 1
        r[2 * (n - 1 - i)] = f[3 * (n - 1 - i)] + f[n - 1 - i]
        r[2 * (n - 1 - i) + 1] = f[4 * (n - 1 - i) + 2]
    endfor
endfunction
function r : vec[int] = four(s : vec[int], n : int)
    r = vec[int](4 * n)
    for i = 0..n - 1
        r[4 * i] = s[2 * i]
        r[4 * i + 1] = s[2 * i + 1]
        r[4 * i + 2] = i
        r[4 * i + 3] = s[i]
    endfor
endfunction
function r : vec = three(f : vec, n : int)
    r = zeros(3 * n)
    for i = 0..n - 1
        r[3 * i + 2] = f[i]
        r[3 * i] = f[i] + 1
        r[3 * i + 1] = f[i + 1]
    endfor
endfunction
b = back(f, n)
q = four(s, n)
t = three(f, n)
print b[0..3], " ", b[2 * n - 2..2 * n - 1], " ", sum(b), " ", q[0..7], " ", q[4 * n - 3..4 * n - 1], " ", sum(q), " ", t[0..5], " ", t[3 * n - 2..3 * n - 1], " ", sum(t)
% out: [0, 351.5, 703, 45.5] [729.5, 72] 158254 [0, 856, 0, 0, 703, 550, 1, 856] [72, 207, 617] 336778 [1, 428, 0, 429, 351.5, 428] [232, 308.5] 158746

% Blocks of rows and columns.
h = 24
w = 96
x = zeros(4 * h, 6 * w)
for m = 0..4 * h - 1
    for k = 0..6 * w - 1
        x[m, k] = mod(m * 17 + k * 31 + m * k * 7, 101)
    endfor
endfor
function y : mat = blocks(x : mat, h : int, w : int)
    y = zeros(h, w)
    for m = 0..h - 1
        for n = 0..w - 1
            most = -1e9
            for k = 0..3
                for l = 0..5
                    most = max(most, x[4 * m + k, 6 * n + l] - 10 * k)
                endfor
            endfor
            y[m, n] = most
        endfor
    endfor
endfunction
y = blocks(x, h, w)
print sum(y), " ", y[h - 1, w - 1], " ", y[3, 7]
% out: 207604 95 99

% Stores to all elements of a pixel with loads between them: what is read does not depend on what is written.
function y : cube[uint8] = swapped(x : cube[uint8])
    y = cube[uint8](size(x, 0), size(x, 1), 3)
    for m = 0..size(x, 0) - 1
        for k = 0..size(x, 1) - 1
            y[m, k, 0] = x[m, k, 2]
            y[m, k, 1] = x[m, k, 1]
            y[m, k, 2] = x[m, k, 0]
        endfor
    endfor
endfunction
function y : mat = crossed(x : mat, z : mat)
    y = zeros(size(x, 0), 4)
    for m = 0..size(x, 0) - 1
        y[m, 3] = x[m, 0] - z[m, 1]
        y[m, 0] = x[m, 1]
        y[m, 2] = x[m, 2] + z[m, 0]
        y[m, 1] = x[m, 3]
    endfor
endfunction
% Here it does: the second load reads what the first store has written.
function [] = turned(x : mat[int])
    for m = 0..size(x, 0) - 1
        x[m, 0] = x[m, 1] + 1
        x[m, 1] = x[m, 0] + x[m, 1]
    endfor
endfunction
c = cube[uint8](20, 48, 3)
for m = 0..19
    for k = 0..47
        for l = 0..2
            c[m, k, l] = mod(m * 17 + k * 31 + l * 7 + m * k, 251)
        endfor
    endfor
endfor
s = swapped(c)
print s[3, 5, 0..2], " ", c[3, 5, 0..2], " ", s[19, 47, 0..2], " ", sum(s[:, :, 0]), " ", sum(c[:, :, 2])
% out: [235, 228, 221] [221, 228, 235] [177, 170, 163] 120830 120830
p = zeros(320, 4)
q = zeros(320, 2)
t = mat[int](320, 2)
for m = 0..319
    for k = 0..3
        p[m, k] = mod(m * 13 + k * 5, 97)
    endfor
    for k = 0..1
        q[m, k] = mod(m * 7 + k * 3, 89)
        t[m, k] = mod(m * 7 + k * 3, 89)
    endfor
endfor
r = crossed(p, q)
turned(t)
print r[0, :], " ", r[319, :], " ", sum(r), " ", t[0, :], " ", t[319, :], " ", sum(t)
% out: [5, 15, 10, -3] [78, 88, 91, 62] 61383 [4, 7] [12, 23] 42604
