% Time loops that pass arrays on: two names exchange, three rotate, a spare name helps. On the processor each is one program.
function [a, b, c, s] = ring(n, steps)
    a = mod((0..n-1)*7, 5)/4
    b = copy(a)
    c = zeros(n)
    s = 0.0
    for t = 1..steps
        k = mod(t, 3)
        for i = 1..n-2
            q = a[i-1] + k
            c[i] = 0.5*q + 0.25*b[i+1]
        endfor
        if k == 1
            for i = 0..n-1
                b[i] = 0.5*b[i] + 0.125*t
            endfor
        endif
        s += c[t] + 0.5*a[3]
        spare = a
        a = b
        b = c
        c = spare
    endfor
endfunction
function [u, v] = flows(n, steps)
    u : mat'clamped = zeros(n, n)
    v : mat'clamped = zeros(n, n)
    u[2,3] = 16
    for t = 1..steps
        for m = 0..n-1
            for k = 0..n-1
                v[m,k] = 0.25*(u[m-1,k] + u[m+1,k] + u[m,k-1] + u[m,k+1])
            endfor
        endfor
        [u, v] = [v, u]
    endfor
endfunction
function [x, y, p, q] = pairs(n, steps)
    x = ones(n)
    y = zeros(n)
    p = vec[int](n)
    q = vec[int](n)
    for t = 1..steps
        for i = 0..n-1
            y[i] = x[n-1-i] + i
        endfor
        for i = 0..n-1
            q[i] = p[i] + int(y[i])
        endfor
        [x, y, p, q] = [y, x, q, p]
    endfor
endfunction
% One array under two names, and arrays of two lengths: as the host has it.
function [a, b] = shared(steps)
    a = zeros(40)
    b = a
    for t = 1..steps
        for i = 1..39
            b[i] = a[i] + t
        endfor
        [a, b] = [b, a]
    endfor
endfunction
function [a, b] = lengths(steps)
    a = zeros(50)
    b = zeros(40)
    for t = 1..steps
        for i = 0..39
            b[i] = a[i] + t*i
        endfor
        [a, b] = [b, a]
    endfor
endfunction
for steps = [0, 1, 2, 3, 4, 30]
    [a, b, c, s] = ring(40, steps)
    print steps, " ", a[4], " ", b[5], " ", c[6], " ", s
    [u, v] = flows(40, steps)
    print u[2,3], " ", v[2,3], " ", u[1,0], " ", sum(u)
    [x, y, p, q] = pairs(40, steps)
    print x[3], " ", y[3], " ", p[3], " ", q[3]
    [a, b] = shared(steps)
    print a[5], " ", b[6]
    [a, b] = lengths(steps)
    print numel(a), " ", a[5], " ", numel(b), " ", b[6]
endfor
% falls back: the for-loop
% out: 0 0.75 0 0 0
% out: 16 0 0 16
% out: 1 0 0 0
% out: 0 0
% out: 50 0 40 0
% out: 1 0.5 1 0.5 0.875
% out: 0 16 0 16
% out: 4 1 4 0
% out: 1 1
% out: 40 5 50 0
% out: 2 0.625 1.4375 0.375 2.48438
% out: 4 0 0 16
% out: 40 4 44 4
% out: 3 3
% out: 50 15 40 6
% out: 3 1.375 0.628906 0.75 3.82812
% out: 0 4 0 16
% out: 43 40 87 44
% out: 6 6
% out: 40 30 50 18
% out: 4 0.976562 1.40527 1.26562 5.9541
% out: 2.25 0 0.25 16
% out: 79 43 166 87
% out: 10 10
% out: 50 50 40 36
% out: 30 4.13629 2.4388 2.98796 101.927
% out: 0.362794 0.215947 0.359288 16
% out: 586 550 8850 8264
% out: 465 465
% out: 50 2325 40 2610
