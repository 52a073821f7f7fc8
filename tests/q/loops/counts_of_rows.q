% Counts and sums for each row at places that the data say: a row after the other, where nothing stores lanes anywhere.
function h : mat[int] = counts(x : mat[uint8])
    h = mat[int](size(x,0), 256)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            h[i,x[i,j]] += 1
        endfor
    endfor
endfunction
function h : mat = weights(x : mat, w : mat, bins : int)
    h = zeros(size(x,0), bins)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            k = int(x[i,j]*bins)
            h[i,k] += w[i,j]
        endfor
    endfor
endfunction
function y : mat[int] = inverses(p : mat[int])
    y = mat[int](size(p,0), size(p,1))
    for i = 0..size(p,0)-1
        for j = 0..size(p,1)-1
            y[i,p[i,j]] = j
        endfor
    endfor
endfunction
% Within a row what has been stored is seen.
function y : mat[int] = links(p : mat[int])
    y = mat[int](size(p,0), size(p,1))
    for i = 0..size(p,0)-1
        for j = 0..size(p,1)-1
            y[i,p[i,j]] = y[i,mod(j*3,size(p,1))] + 1
        endfor
    endfor
endfunction
function [] = check(m : int, n : int)
    x = mat[uint8](m, n)
    f = zeros(m, n)
    p = mat[int](m, n)
    {!serial for}
    for i = 0..m-1
        for j = 0..n-1
            x[i,j] = mod(i*37 + j*j*11, 256)
            f[i,j] = mod(i*7 + j*13, 64)/64
            p[i,j] = mod(i + j*7, n)
        endfor
    endfor
    h = counts(x)
    g = weights(f, f + 1, 10)
    q = inverses(p)
    l = links(p)
    print h[m-1,x[m-1,n-1]], " ", sum(sum(h)), " ", g[m-1,9], " ", sum(sum(g)), " ", q[m-1,3], " ", l[m-1,3], " ", sum(sum(l))
endfunction
check(40, 500)
check(33, 65)
check(3, 1000)
% out: 8 20000 93.375 29843 352 1 34564
% out: 5 2145 11.6719 3200.25 33 1 3663
% out: 16 3000 180.844 4474.94 143 2 5196
