% Minima and maxima of bytes and halves in lanes of as few bits, and sums of floats that are made of such.
function [a : int, b : int] = range_of(x : mat[uint8], least : int, most : int)
    a = least
    b = most
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            a = min(a, x[i,j])
            b = max(b, x[i,j])
        endfor
    endfor
endfunction
function y : vec[int] = spread_of_rows(x : mat[int16])
    y = vec[int](size(x,0))
    for i = 0..size(x,0)-1
        a = 40000
        b = -40000
        for j = 0..size(x,1)-1
            if x[i,j] > b
                b = x[i,j]
            endif
            if a >= x[i,j]
                a = x[i,j]
            endif
        endfor
        y[i] = b - a
    endfor
endfunction
function y : vec[int] = largest_step_down(x : mat[uint8])
    y = vec[int](size(x,1))
    for j = 0..size(x,1)-1
        s = -300
        t = 7
        for i = 1..size(x,0)-1
            s = max(s, abs(x[i,j] - x[i-1,j]))
            t += x[i,j]
        endfor
        y[j] = 1000*s + mod(t, 1000)
    endfor
endfunction
% Only where something holds: what it was before may stay.
function y : vec[int] = chosen(x : mat[uint8], t : int)
    y = vec[int](size(x,0))
    for i = 0..size(x,0)-1
        s = -1
        n = 0
        for j = 0..size(x,1)-1
            if x[i,j] < t
                s = max(s, x[i,j])
                n += 1
            endif
        endfor
        y[i] = s*1000 + n
    endfor
endfunction
function y : vec = means(x : mat[uint8])
    y = zeros(size(x,0))
    for i = 0..size(x,0)-1
        s = 0.5
        n = 0.0
        for j = 0..size(x,1)-1
            s += x[i,j]
            if x[i,j] > 250
                n += 1
            endif
        endfor
        y[i] = s + n/4
    endfor
endfunction
function s : scalar = energy(x : mat[int16])
    s = 0.0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s -= shr(x[i,j], 12)
        endfor
    endfor
endfunction
function [] = check(m : int, n : int)
    x = mat[uint8](m, n)
    h = mat[int16](m, n)
    {!serial for}
    for i = 0..m-1
        for j = 0..n-1
            x[i,j] = 3 + mod(i*37 + j*j*11 + 5*i*j, 251)
            h[i,j] = mod(i*7919 + j*104729, 65536) - 32768
        endfor
    endfor
    x[m-1,n-1] = 255
    [a, b] = range_of(x, 255, 0)
    [c, d] = range_of(x, -5, 300)
    print a, " ", b, " ", c, " ", d
    y = spread_of_rows(h)
    z = largest_step_down(x)
    u = chosen(x, 60)
    v = chosen(x, 3)
    print sum(y), " ", max(y), " ", sum(z), " ", max(z), " ", sum(u), " ", sum(v)
    w = means(x)
    print w[0], " ", w[m-1], " ", energy(h)
endfunction
check(40, 700)
check(33, 65)
check(3, 2000)
check(2, 5)
% out: 3 255 -5 300
% out: 2600372 65526 126607770 247552 2327553 -40000
% out: 94780 90124.5 14016
% out: 3 255 -5 300
% out: 2079228 64893 11883263 247718 1841514 -33000
% out: 8399 7770.25 1074
% out: 3 255 -5 300
% out: 195692 65526 204692202 236253 177439 -3000
% out: 270326 252149 2997
% out: 3 255 -5 300
% out: 104086 52043 254634 76262 103005 -2000
% out: 345.5 599.75 11
