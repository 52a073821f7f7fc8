% Loops along rows of which each iteration has its own: sums, products, running values, several arrays, parts of rows.
H = 83; W = 77
x = zeros(H,W)
z = int(zeros(H,W))
for m=0..H-1
    for n=0..W-1
        x[m,n] = mod(m*17 + n*31 + m*n*3, 64)
        z[m,n] = mod(m*5 + n*3, 11)
    endfor
endfor
v = 1.0*mod(0..W-1, 5)
% A matrix times a vector; its transpose is the other way round.
y = zeros(H)
t = zeros(W)
for m=0..H-1
    s = 0.0
    for n=0..W-1
        s += x[m,n]*v[n]
    endfor
    y[m] = s
endfor
for n=0..W-1
    s = 0.0
    for m=0..H-1
        s += x[m,n]
    endfor
    t[n] = s
endfor
print y[0..3], " ", y[79..82], " ", sum(y), " ", sum(t)   % out: [4976, 4903, 4894, 4693] [4905, 4640, 4695, 4558] 409965 208771
% Running sums and differences along rows, of floats and integers, from some column on.
r = zeros(H,W)
d = zeros(H,W)
q = int(zeros(H,W))
for m=0..H-1
    s = 0.0
    k = 0
    for n=3..W-2
        s = s/2 + x[m,n]
        r[m,n] = s
        d[m,n] = x[m,n+1] - x[m,n-1]
        k += z[m,n]
        q[m,n] = k
    endfor
endfor
print r[5,2..5], " ", r[82,74..76], " ", sum(d), " ", q[80,70..76], " ", sum(q)   % out: [0, 31, 28.5, 73.25] [39.1429, 44.5714, 0] -4 [337, 345, 345, 348, 354, 363, 0] 1120845
% How far a row goes is known when it is reached; rows with a condition, and what is chosen by one.
function [c, p] = counts(x, from, to)
    c = zeros(size(x,0))
    p = zeros(size(x,0))
    for m=0..size(x,0)-1
        s = 0
        best = -1.0
        for n=from..to
            if x[m,n] > 40
                s += 1
            endif
            if x[m,n] > best
                best = x[m,n]
                p[m] = n
            endif
        endfor
        c[m] = s
    endfor
endfunction
for w=[0,15,16,17,60]
    [c, p] = counts(x, 1, w)
    print sum(c), " ", sum(p), " ", c[82], " ", p[1]
endfor
% out: 0 0 0 0
% out: 471 592 5 7
% out: 510 645 5 7
% out: 540 685 5 7
% out: 1933 1709 21 7
% Blocks of rows, each a loop of its own, and rows of two arrays in opposite roles.
b = zeros(H,4)
e = zeros(H,W)
for m=0..H-1
    for j=0..3
        s = 0.0
        for n=0..18
            s += x[m,19*j+n]*r[m,19*j+n]
        endfor
        b[m,j] = s
    endfor
    for n=0..W-1
        e[m,n] = x[m,n]*2 - b[m,1]
    endfor
endfor
print b[7,:], " ", sum(e)   % out: [38056.1, 45438.8, 47822.2, 50185.6] -312751840
% An array that is read and written: each element follows the one before it.
a = copy(x)
for m=0..H-1
    for n=1..W-1
        a[m,n] = a[m,n-1] + mod(a[m,n], 7)
    endfor
endfor
print a[82,70..76], " ", sum(a)   % out: [257, 262, 267, 272, 276, 280, 284] 924150
