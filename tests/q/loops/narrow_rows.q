% Rows that are shorter than a vector, of a length that is known: only so many elements are loaded and stored.
function c : cube = products(a : cube, b : cube)
    c = zeros(size(a,0), 6, 6)
    for n = 0..size(a,0)-1
        for i = 0..5
            for j = 0..5
                s = 0.0
                for k = 0..5
                    s += a[n,i,k]*b[n,k,j]
                endfor
                c[n,i,j] = s
            endfor
        endfor
    endfor
endfunction
function y : mat[uint8] = inverted(x : mat[uint8])
    y = mat[uint8](size(x,0), size(x,1))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            y[i,j] = 255 - x[i,j]
        endfor
    endfor
endfunction
function y : mat = shifted(x : mat, o : vec)
    y = zeros(size(x,0), size(x,1))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            y[i,size(x,1)-1-j] = x[i,j]*2 + o[j]
        endfor
    endfor
endfunction
function y : mat[int16] = halves(x : mat[int16], n : int)
    y = mat[int16](size(x,0), size(x,1))
    for i = 0..size(x,0)-1
        for j = 0..n-1
            y[i,j] = x[i,j] + j
        endfor
    endfor
endfunction
a = zeros(50, 6, 6)
{!serial for}
for n = 0..49
    for i = 0..5
        for j = 0..5
            a[n,i,j] = mod(n*7 + i*5 + j*3, 11) - 5
        endfor
    endfor
endfor
c = products(a, a + 1)
print c[0,0,0], " ", c[49,5,5], " ", c[17,2,3], " ", sum(sum(sum(c)))
for w = [1, 3, 7, 11, 15]
    x = mat[uint8](37, w)
    h = mat[int16](37, w)
    f = zeros(37, w)
    o = zeros(w)
    {!serial for}
    for i = 0..36
        for j = 0..w-1
            x[i,j] = mod(i*37 + j*11, 256)
            h[i,j] = i*100 - j
            f[i,j] = i + j/8
            o[j] = j
        endfor
    endfor
    y = inverted(x)
    g = shifted(f, o)
    u = halves(h, w)
    print y[36,w-1], " ", sum(sum(y)), " ", g[36,0], " ", sum(sum(g)), " ", u[36,w-1], " ", sum(sum(u))
endfor
% out: 5 -9 -4 190
% out: 203 5273 72 1332 3600 66600
% out: 181 14854 74.5 4134.75 3600 199800
% out: 137 34252 79.5 10295.2 3600 466200
% out: 93 53538 84.5 17195.8 3600 732600
% out: 49 71944 89.5 24836.2 3600 999000
