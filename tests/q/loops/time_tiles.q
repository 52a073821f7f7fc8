% Time loops over stencils, which the processor may compute several steps at a time: one to three axes, two and three levels, loops
% that write two arrays, borders of all kinds, sizes around those of vectors.
function u = rod(n, steps)
    u = mod(0..n-1, 7)/2
    v = copy(u)
    for t = 1..steps
        for i = 2..n-3
            v[i] = 0.5*u[i] + 0.25*u[i-2] + 0.25*u[i+2]
        endfor
        [u, v] = [v, u]
    endfor
endfunction
function u = membrane(n, steps)
    u : mat'mirror = reshape(mod((0..n*n-1)*3, 11)/4, n, n)
    old : mat'mirror = copy(u)
    new : mat'mirror = copy(u)
    for t = 1..steps
        for m = 0..n-1
            for k = 0..n-1
                new[m,k] = 1.5*u[m,k] - 0.5*old[m,k] + 0.125*(u[m-1,k] + u[m+1,k] + u[m,k-2] + u[m,k+2] - 4*u[m,k])
            endfor
        endfor
        spare = old
        old = u
        u = new
        new = spare
    endfor
endfunction
function u = torus(n, steps)
    u : mat'circular = reshape(mod((0..n*n-1)*5, 13)/4, n, n)
    v : mat'circular = copy(u)
    for t = 1..steps
        for m = 0..n-1
            for k = 0..n-1
                v[m,k] = 0.25*(u[m-1,k] + u[m+1,k] + u[m,k-1] + u[m,k+1])
            endfor
        endfor
        [u, v] = [v, u]
    endfor
endfunction
function e = fields(n, steps)
    e = reshape(mod((0..n*n-1)*7, 9)/8, n, n)
    h = zeros(n, n)
    for t = 1..steps
        for m = 0..n-2
            for k = 0..n-1
                h[m,k] = h[m,k] - 0.25*(e[m+1,k] - e[m,k])
            endfor
        endfor
        for m = 1..n-2
            for k = 0..n-1
                e[m,k] = e[m,k] - 0.25*(h[m,k] - h[m-1,k])
            endfor
        endfor
    endfor
endfunction
function u = block(n, steps)
    u : cube'clamped = reshape(mod((0..n*n*n-1)*5, 17)/4, n, n, n)
    v : cube'clamped = copy(u)
    for t = 1..steps
        for l = 0..n-1
            for m = 0..n-1
                for k = 0..n-1
                    v[l,m,k] = 0.25*u[l,m,k] + 0.125*(u[l-1,m,k] + u[l+1,m,k] + u[l,m-1,k] + u[l,m+1,k] + u[l,m,k-1] + u[l,m,k+1])
                endfor
            endfor
        endfor
        [u, v] = [v, u]
    endfor
endfunction
for n = [1, 2, 3, 17, 33]
    for steps = [0, 1, 2, 9, 30]
        r = rod(3*n, steps)
        p = membrane(n, steps)
        c = torus(n, steps)
        e = fields(n, steps)
        print n, " ", steps, " ", r[2*n-1], " ", p[n-1,0], " ", c[0,n-1], " ", e[0,n-1]
    endfor
    b = block(min(n, 18), 7)
    print b[0,0,0]
endfor
% out: 1 0 0.5 0 0 0
% out: 1 1 0.5 0 0 0
% out: 1 2 0.5 0 0 0
% out: 1 9 0.5 0 0 0
% out: 1 30 0.5 0 0 0
% out: 0
% out: 2 0 1.5 1.5 1.25 0.875
% out: 2 1 1.5 1.125 0.25 0.875
% out: 2 2 1.5 0.75 1.875 0.875
% out: 2 9 1.5 0.773438 0.25 0.875
% out: 2 30 1.5 0.75 1.875 0.875
% out: 1.61873
% out: 3 0 2.5 1.75 2.5 0.625
% out: 3 1 1.625 1.5625 1.125 0.625
% out: 3 2 1.1875 1.32031 1.59375 0.625
% out: 3 9 0.298067 1.23877 1.38748 0.625
% out: 3 30 0.166979 1.28126 1.38889 0.625
% out: 1.90763
% out: 17 0 2.5 0.5 0.5 0.5
% out: 17 1 1.625 1.125 1.8125 0.5
% out: 17 2 1.40625 1.47656 1.125 0.5
% out: 17 9 1.43885 1.22172 1.61591 0.5
% out: 17 30 1.45153 1.24979 1.42175 0.5
% out: 0.791878
% out: 33 0 1 0 1 1
% out: 33 1 1 0.375 1.125 1
% out: 33 2 1.21875 0.757812 1.35938 1
% out: 33 9 1.46576 0.867899 1.30522 1
% out: 33 30 1.49959 1.06198 1.51787 1
% out: 1.86511
