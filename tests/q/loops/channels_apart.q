% Loops over channels that are not lanes: in another place, of columns of another scale, beside what has no channels.
% out: [1925470, 17, 7, 10, 107]
% out: [457993, 8, 32, 11, 43]
% out: [185490, 31.25, 63, 49.25, 50.75]
% out: [2598901, 0, -337, 0, 20]
% out: [1922537, 74, 175, 7, 65] 205
% out: [1263501, 17, 7, 37, 107]
% out: [305483, 8, 32, 57, 72]
% out: [115526, 31.25, 63, 46.75, 66]
% out: [1755979, 0, -337, 417, -40]
% out: [1265509, 104, 192, 7, 46] 239
function y : cube[uint8] = planes(x : cube[uint8])
    y = cube[uint8](3, size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..2
                y[c,m,n] = x[m,n,c]
            endfor
        endfor
    endfor
endfunction

function y : cube = pixels(x : cube)
    y = zeros(size(x,1), size(x,2), size(x,0))
    for m = 0..size(x,1)-1
        for n = 0..size(x,2)-1
            for c = 0..size(x,0)-1
                y[m,n,c] = x[c,m,n] + 1
            endfor
        endfor
    endfor
endfunction

function y : cube = halved(x : cube)
    y = zeros(shr(size(x,0),1), shr(size(x,1),1), 3)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            for c = 0..2
                y[m,n,c] = 0.25*(x[2*m,2*n,c] + x[2*m,2*n+1,c] + x[2*m+1,2*n,c] + x[2*m+1,2*n+1,c])
            endfor
        endfor
    endfor
endfunction

function y : cube[int16] = weighted(x : cube[int16], a : mat[int16])
    y = cube[int16](size(x,0), size(x,1), 4)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..3
                if a[m,n] > c
                    y[m,n,c] = shr(x[m,n,c]*a[m,n], 2)
                endif
            endfor
        endfor
    endfor
endfunction

% Channels in the opposite order, of the column at the other end; what the last iteration leaves is used afterwards.
function [y : cube[uint8], last : int] = turned(x : cube[uint8])
    y = cube[uint8](size(x,0), size(x,1), 3)
    last = -1
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..2
                last = x[m,size(x,1)-1-n,2-c]
                y[m,n,c] = last
            endfor
        endfor
    endfor
endfunction

function r : vec = told(y)
    s = 0.0
    for i = 0..size(y,0)-1
        for j = 0..size(y,1)-1
            for c = 0..size(y,2)-1
                s += y[i,j,c]*(1 + mod(5*i + 3*j + c, 3))
            endfor
        endfor
    endfor
    r = [s, y[0,0,1], y[1,0,0], y[0,size(y,1)-1,1], y[size(y,0)-1,3,0]]
endfunction

for k = 0..1
    h = [40, 33][k]
    w = [64, 51][k]
    x8 = cube[uint8](h, w, 3)
    x16 = cube[int16](h, w, 4)
    a = mat[int16](h, w)
    x = zeros(h, w, 3)
    p = zeros(2, h, w)
    for m = 0..h-1
        for n = 0..w-1
            a[m,n] = mod(m*5 + n*3, 7)
            for c = 0..2
                x8[m,n,c] = mod(m*31 + n*17 + c*7 + m*n, 251)
                x[m,n,c] = mod(m*31 + n*17 + c*7 + m*n, 97)
            endfor
            for c = 0..3
                x16[m,n,c] = mod(m*31 + n*17 + c*7 + m*n, 997) - 300
            endfor
            for c = 0..1
                p[c,m,n] = mod(m*31 + n*17 + c*7 + m*n, 89)
            endfor
        endfor
    endfor
    print told(planes(x8))
    print told(pixels(p))
    print told(halved(x))
    print told(weighted(x16, a))
    [y, last] = turned(x8)
    print told(y), " ", last
endfor
