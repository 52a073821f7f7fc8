% Sums of integers over the blocks of a matrix: loops within loops, of which none can overflow.
function y : mat[int] = differences(a : mat[uint8], b : mat[uint8])
    y = mat[int](int(size(a,0)/16), int(size(a,1)/16))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0
            for i = 0..15
                for j = 0..15
                    s += abs(a[16*m+i,16*n+j] - b[16*m+i,16*n+j])
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction
function y : mat[int] = bright(a : mat[uint8], t : int)
    y = mat[int](int(size(a,0)/24), int(size(a,1)/40))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0
            for i = 0..23
                for j = 0..39
                    if a[24*m+i,40*n+j] > t
                        s += 1
                    else
                        s -= 2
                    endif
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction
function y : vec[int] = volumes(a : cube[int16])
    y = vec[int](size(a,0))
    for p = 0..size(a,0)-1
        s = 100
        for i = 0..15
            for j = 0..19
                for k = 0..17
                    s += a[p,i,20*k+j]
                endfor
            endfor
            s += i
        endfor
        y[p] = s
    endfor
endfunction
% This one does overflow.
function y : vec[int] = too_large(a : mat[int])
    y = vec[int](size(a,0))
    for p = 0..size(a,0)-1
        s = 0
        for i = 0..15
            for j = 0..15
                s += a[p,16*i+j]
            endfor
        endfor
        y[p] = s
    endfor
endfunction
a = mat[uint8](100, 170)
b = mat[uint8](100, 170)
{!serial for}
for i = 0..99
    for j = 0..169
        a[i,j] = mod(i*37 + j*j*11, 256)
        b[i,j] = mod(i*i*3 + j*29, 256)
    endfor
endfor
d = differences(a, b)
e = bright(a, 90)
print d[0,0], " ", d[5,9], " ", sum(sum(d))
print e[0,0], " ", e[3,3], " ", sum(sum(e))
c = cube[int16](21, 16, 360)
{!serial for}
for p = 0..20
    for i = 0..15
        for j = 0..359
            c[p,i,j] = mod(p*7919 + i*31 + j*104729, 65536) - 32768
        endfor
    endfor
endfor
v = volumes(c)
print v[0], " ", v[20], " ", sum(v)
w = mat[int](20, 256)
{!serial for}
for p = 0..19
    for j = 0..255
        w[p,j] = 1000000
    endfor
endfor
s = too_large(w)
print s[19]
w[17,3] = 2000000000
try
    s = too_large(w)
catch ex
    print "too large"
endtry
% out: 21040 22848 1316208
% out: -69 -42 -1086
% out: 1743068 1357532 1688844
% out: 256000000
% out: too large
