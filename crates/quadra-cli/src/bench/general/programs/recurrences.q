% Each row, or each element, follows from what the one before has become.
function m : mat = seam(e : mat)
    m = copy(e)
    w = size(e,1)
    for y = 1..size(e,0)-1
        for x = 0..w-1
            l = m[y-1,max(x-1,0)]
            c = m[y-1,x]
            r = m[y-1,min(x+1,w-1)]
            m[y,x] = e[y,x] + min(l, min(c, r))
        endfor
    endfor
endfunction

function row : vec = seam_row(e : mat)
    w = size(e,1)
    row = e[0,:]
    for y = 1..size(e,0)-1
        before : vec'clamped = row
        next = zeros(w)
        for x = 0..w-1
            next[x] = e[y,x] + min(before[x-1], min(before[x], before[x+1]))
        endfor
        row = next
    endfor
endfunction

function v : mat = viterbi(a : mat, b : mat)
    states = size(a,0)
    v = zeros(size(b))
    for s = 0..states-1
        v[0,s] = b[0,s]
    endfor
    for t = 1..size(b,0)-1
        for s = 0..states-1
            best = -1e30
            for r = 0..states-1
                best = max(best, v[t-1,r] + a[r,s])
            endfor
            v[t,s] = best + b[t,s]
        endfor
    endfor
endfunction

function d : mat[int] = edit_distance(a : vec[int], b : vec[int])
    n = numel(a)
    m = numel(b)
    d = mat[int](n+1, m+1)
    for i = 0..n
        d[i,0] = i
    endfor
    for j = 0..m
        d[0,j] = j
    endfor
    for i = 1..n
        for j = 1..m
            change = d[i-1,j-1] + (a[i-1] == b[j-1] ? 0 : 1)
            d[i,j] = min(change, min(d[i-1,j], d[i,j-1]) + 1)
        endfor
    endfor
endfunction

function y : mat = smooth_rows(x : mat, k : scalar)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        s = x[m,0]
        for n = 0..size(x,1)-1
            s = s + k*(x[m,n] - s)
            y[m,n] = s
        endfor
    endfor
endfunction

function x : vec = logistic_map(start : scalar, r : scalar, n : int)
    x = zeros(n)
    x[0] = start
    for i = 1..n-1
        x[i] = r*x[i-1]*(1 - x[i-1])
    endfor
endfunction
