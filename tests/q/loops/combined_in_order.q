% Loops that combine values, within one whose iterations need each other: all run in order as one kernel where launches would cost more.
function y : mat = integral(x : mat)
    y = zeros(size(x))
    {!serial for}
    for m = 1..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s += x[m,n]
            y[m,n] = y[m-1,n] + s
        endfor
    endfor
endfunction
function y : vec = predicted(w : vec, n : int)
    k = numel(w)
    y = zeros(n)
    for i = 0..k-1
        y[i] = 1
    endfor
    {!serial for}
    for i = k..n-1
        s = 0.0
        for j = 0..k-1
            s += w[j]*y[i-1-j]
        endfor
        y[i] = mod(s, 16)
    endfor
endfunction
function [at : vec[int], n : int] = tracked(x : mat, start : int)
    at = vec[int](size(x,0))
    n = 0
    here = start
    {!serial for}
    for m = 0..size(x,0)-1
        best = 1e30
        to = here
        for d = here-4..here+4
            if x[m,d] < best
                best = x[m,d]
                to = d
            endif
        endfor
        here = min(max(to, 4), size(x,1)-5)
        at[m] = here
        for d = 0..size(x,1)-1
            n += x[m,d] > best ? 1 : 0
        endfor
    endfor
endfunction
function y : mat[int] = ranked(x : mat[int])
    y = mat[int](size(x,0), size(x,1))
    {!serial for}
    for m = 1..size(x,0)-1
        k = 0
        for n = 0..size(x,1)-1
            if x[m,n] > x[m-1,n]
                k += 1
            endif
        endfor
        for n = 0..size(x,1)-1
            y[m,n] = max(y[m-1,n], k)
        endfor
    endfor
endfunction
x = zeros(90, 130)
k = mat[int](90, 130)
for m = 0..89
    for n = 0..129
        x[m,n] = mod(m*17 + n*31 + m*n*7, 101)
        k[m,n] = mod(m*17 + n*31 + m*n*7, 101)
    endfor
endfor
y = integral(x)
print y[89,129], " ", y[44,70], " ", sum(y)
% out: 582259 157887 1719641728
p = predicted([1, 2, 0, 1, 3, 0, 0, 1, 1, 2], 5000)
print p[4990..4999]
% out: [15, 9, 3, 5, 9, 1, 1, 1, 1, 1]
[at, n] = tracked(x, 60)
print at[80..89], " ", n
% out: [57, 58, 62, 58, 54, 54, 51, 49, 45, 49] 10304
r = ranked(k)
print r[89,0], " ", sum(r)
% out: 88 990730
% What reads what it combines is no kernel: an index outside is an error, and what was written before it stays.
z = zeros(40, 900)
try
    for m = 1..39        % par: serial: 'z' is read at z[m-1,n] and written at z[m,n]
        s = 0            % warning: the for-loop is not parallelized
        for n = 0..899
            s += 1
            z[m,n] = z[m-1,n] + x[m,n] + s
        endfor
    endfor
catch e
    print "outside ", z[1,129], " ", z[1,130]  % out: outside 201 0
endtry
% What only combines is one: it reads zeros there.
q = zeros(3000)
for m = 1..2999          % par: serial: 'q' is read at q[m-1] and written at q[m]
    s = q[m-1]           % warning: the for-loop is not parallelized
    for n = -4..3
        s += x[0,n]
    endfor
    q[m] = mod(s, 64)
endfor
print q[2990..2999]
% out: [44, 38, 32, 26, 20, 14, 8, 2, 60, 54]
