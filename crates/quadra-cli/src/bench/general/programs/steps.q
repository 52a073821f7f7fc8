% Many steps, each of which is soon done.
function u : vec = wave(start : vec, steps : int)
    n = numel(start)
    u = copy(start)
    before = copy(start)
    next = zeros(n)
    for t = 1..steps
        for i = 1..n-2
            next[i] = 2*u[i] - before[i] + 0.25*(u[i-1] - 2*u[i] + u[i+1])
        endfor
        spare = before
        before = u
        u = next
        next = spare
    endfor
endfunction

function a : mat[int] = life(start : mat[int], steps : int)
    a = copy(start)
    b = copy(start)
    for t = 1..steps
        for m = 1..size(a,0)-2
            for n = 1..size(a,1)-2
                s = a[m-1,n-1] + a[m-1,n] + a[m-1,n+1] + a[m,n-1] + a[m,n+1] + a[m+1,n-1] + a[m+1,n] + a[m+1,n+1]
                b[m,n] = s == 3 || (s == 2 && a[m,n] == 1) ? 1 : 0
            endfor
        endfor
        [a, b] = [b, a]
    endfor
endfunction

function x : vec = jacobi(b : vec, steps : int)
    n = numel(b)
    x = zeros(n)
    y = zeros(n)
    for t = 1..steps
        for i = 1..n-2
            y[i] = 0.5*(b[i] + x[i-1] + x[i+1])
        endfor
        for i = 1..n-2
            x[i] = y[i]
        endfor
    endfor
endfunction

function [x : vec, v : vec] = bodies(start : vec, steps : int)
    n = numel(start)
    x = copy(start)
    v = zeros(n)
    f = zeros(n)
    for t = 1..steps
        for i = 0..n-1
            s = 0.0
            for j = 0..n-1
                d = x[j] - x[i]
                s += d/((d*d + 0.01)*sqrt(d*d + 0.01))
            endfor
            f[i] = s
        endfor
        for i = 0..n-1
            v[i] = v[i] + 0.00001*f[i]
            x[i] = x[i] + 0.001*v[i]
        endfor
    endfor
endfunction

function a : vec = doubling(x : vec)
    n = numel(x)
    a = copy(x)
    b = zeros(n)
    d = 1
    while d < n
        for i = 0..n-1
            b[i] = i >= d ? a[i] + a[i-d] : a[i]
        endfor
        [a, b] = [b, a]
        d = 2*d
    endwhile
endfunction
