% Rows that end with their array: short ones, ones that lanes of bytes are read of, and those that data choose elements of.
function h : mat[int] = counts(x : mat[uint8], bins : int)
    h = mat[int](size(x,0), bins)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            h[i,x[i,j]] += 1
        endfor
    endfor
endfunction
function y : mat[uint8] = doubled(x : mat[uint8])
    y = mat[uint8](size(x,0), size(x,1))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            y[i,j] = 2*x[i,j]
        endfor
    endfor
endfunction
function y : mat = halves(x : mat)
    y = zeros(size(x,0), size(x,1))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            y[i,j] = x[i,j]/2
        endfor
    endfor
endfunction
function y : vec[int] = most(x : mat[uint8])
    y = vec[int](size(x,0))
    for i = 0..size(x,0)-1
        s = -1
        t = 0.0
        for j = 0..size(x,1)-1
            s = max(s, x[i,j])
            t += x[i,j]
        endfor
        y[i] = 100000*s + int(t)
    endfor
endfunction
function y : vec = chosen(x : vec, k : vec[int], n : int)
    y = zeros(n)
    for i = 0..n-1
        s = 0.0
        for j = 0..2
            s += x[k[3*i+j]]
        endfor
        y[i] = s
    endfor
endfunction
for w = [1, 5, 6, 13, 31, 65, 130]
    x = mat[uint8](19, w)
    f = zeros(19, w)
    {!serial for}
    for i = 0..18
        for j = 0..w-1
            x[i,j] = mod(i*37 + j*11, 120)
            f[i,j] = i - j
        endfor
    endfor
    h = counts(x, 120)
    d = doubled(x)
    g = halves(f)
    m = most(x)
    print w, ": ", sum(sum(h)), " ", h[18,x[18,w-1]], " ", sum(sum(d)), " ", g[18,w-1], " ", m[18]
    x[18,w-1] = 120
    try
        h = counts(x, 120)
        print "inside"
    catch ex
        print "outside"
    endtry
endfor
for n = [3, 16, 35, 700]
    x = 0..99
    k = vec[int](3*n)
    {!serial for}
    for i = 0..3*n-1
        k[i] = mod(i*7, 100)
    endfor
    y = chosen(x, k, n)
    print n, ": ", sum(y), " ", y[n-1]
    k[3*n-1] = 1000000
    y = chosen(x, k, n)
    print y[n-1]
endfor
% out: 1: 19 1 2094 9 6600066
% out: outside
% out: 5: 95 1 11290 7 11000440
% out: outside
% out: 6: 114 1 13314 6.5 11000441
% out: outside
% out: 13: 247 1 28866 3 11000756
% out: outside
% out: 31: 589 1 69924 -6 11201761
% out: outside
% out: 65: 1235 1 146350 -23 11503770
% out: outside
% out: 130: 2470 2 293790 -55.5 11907695
% out: outside
% out: 3: 252 147
% out: 91
% out: 16: 2196 66
% out: 37
% out: 35: 5020 63
% out: 35
% out: 700: 103950 258
% out: 165
