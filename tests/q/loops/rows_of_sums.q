% Rows of sums at places that the data say: the lanes of one addition are neighbours.
function s : mat = by_label(x : mat, l : vec[int], k : int)
    s = zeros(k, size(x,1))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s[l[i],j] += x[i,j]
        endfor
    endfor
endfunction
function s : mat[int] = weights(x : mat[int], l : vec[int], k : int)
    s = mat[int](k, size(x,1))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s[l[i],j] += x[i,j]
        endfor
    endfor
endfunction
function s : mat[int] = largest(x : mat[int], l : vec[int], k : int)
    s = mat[int](k, size(x,1))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s[l[i],j] ^^= x[i,j]
        endfor
    endfor
endfunction
function s : mat = shifted(x : mat, l : vec[int], k : int)
    s = zeros(k, size(x,1) + 2)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s[l[i],j+2] += 2*x[i,j]
        endfor
    endfor
endfunction
function [] = check(d : int)
    n = 500
    k = 7
    x = zeros(n, d)
    y = mat[int](n, d)
    l = vec[int](n)
    {!serial for}
    for i = 0..n-1
        l[i] = mod(i*i + 3*i, k)
        for j = 0..d-1
            x[i,j] = mod(i*5 + j*3, 17) - 8
            y[i,j] = mod(i*7 + j*11, 23) - 11
        endfor
    endfor
    a = by_label(x, l, k)
    b = weights(y, l, k)
    c = largest(y, l, k)
    e = shifted(x, l, k)
    wrong = 0
    {!serial for}
    for q = 0..k-1
        for j = 0..d-1
            s = 0.0
            t = 0
            u = 0
            for i = 0..n-1
                if l[i] == q
                    s = s + x[i,j]
                    t = t + y[i,j]
                    u = max(u, y[i,j])
                endif
            endfor
            if a[q,j] != s || b[q,j] != t || c[q,j] != u || e[q,j+2] != 2*s
                wrong = wrong + 1
            endif
        endfor
    endfor
    printf("%d: %d wrong, %d\n", d, wrong, sum(sum(abs(a))) > 0)
endfunction
for d = [1,3,4,16,20,33]
    check(d)
endfor
% out: 1: 0 wrong, 1
% out: 3: 0 wrong, 1
% out: 4: 0 wrong, 1
% out: 16: 0 wrong, 1
% out: 20: 0 wrong, 1
% out: 33: 0 wrong, 1
