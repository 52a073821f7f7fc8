% Elements that lie far apart along the innermost loop and next to each other along the one around it, loaded or stored: squares of memory
% that are turned over. Sizes that squares divide and sizes that they do not; elements of one to eight bytes.
% out: [595072, 175, 15, 47, 35]
% out: [713113, 0, 42, 65, 35]
% out: [599534, 180, 63, 0, 160] -190
% out: [768511, 43, 24, 186, 88]
% out: -1 3369999999999 7279999999999 1819999999999 599999999999
% out: [259616, 52, 36, 66, 0]
% out: [888372, 1, 52, 40, 190] 263
% out: [595732, 61, 149, 73, 107]
% out: [238947, 0, 42, 88, 74]
% out: [602258, 131, 184, 0, 1] -190
% out: [765211, 142, 127, 186, 88]
% out: -1 3369999999999 4769999999999 2899999999999 599999999999
% out: [80207, 52, 36, 60, 0]
% out: [888673, 1, 52, 148, 253] 92
% out: [3503274, 191, 53, 7, 129]
% out: [3980273, 0, 42, 117, 69]
% out: [3538444, 88, 57, 0, 52] -190
% out: [4517845, 37, 10, 197, 88]
% out: -1 3369999999999 6109999999999 5859999999999 599999999999
% out: [1412861, 52, 36, 6, 0]
% out: [5235441, 1, 52, 181, 205] 287
function r : vec = told(y)
    s = 0.0
    for i = 0..size(y,0)-1
        for j = 0..size(y,1)-1
            s += y[i,j]*(1 + mod(5*i + 3*j, 3))
        endfor
    endfor
    r = [s, y[0,0], y[1,0], y[0,size(y,1)-1], y[size(y,0)-1,3]]
endfunction

% Along the other diagonal.
function y : mat = other_diagonal(x : mat)
    y = zeros(size(x,1), size(x,0))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[size(x,1)-1-n,size(x,0)-1-m] = 2*x[m,n] + 1
        endfor
    endfor
endfunction

% A square and rows at once.
function y : mat = symmetric(x : mat)
    y = zeros(size(x,0), size(x,0))
    for m = 0..size(x,0)-1
        for n = 0..size(x,0)-1
            y[m,n] = x[m,n] + x[n,m]
        endfor
    endfor
endfunction

% To the right, and what is stored is another's row, too.
function [y : mat[int16], z : mat[int16]] = right(x : mat[int16])
    y = mat[int16](size(x,1), size(x,0))
    z = mat[int16](size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[n,size(x,0)-1-m] = x[m,n]
            z[m,n] = 3 - x[m,n]
        endfor
    endfor
endfunction

function y : mat[uint8] = left8(x : mat[uint8])
    y = mat[uint8](size(x,1), size(x,0))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = bitxor(x[n,size(x,1)-1-m], 5)
        endfor
    endfor
endfunction

function y : mat[int64] = wide(x : mat[int64])
    y = mat[int64](size(x,1), size(x,0))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[n,m] = x[m,n] - 1
        endfor
    endfor
endfunction

% In a loop that the iterations have of their own: columns of what a row is compared with.
function y : mat = nearest(x : mat, k : int)
    y = zeros(size(x,0), size(x,0))
    for m = 0..size(x,0)-1-k
        for n = 0..size(x,0)-1
            s = 0.0
            for j = 0..k-1
                s = max(s, x[n,m+j] - x[m,n])
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% Planes of what was three axes, the last one first.
function y : cube = planes(x : cube)
    y = zeros(size(x,2), size(x,1), size(x,0))
    for c = 0..size(x,0)-1
        for m = 0..size(x,1)-1
            for n = 0..size(x,2)-1
                y[n,m,c] = x[c,m,n]
            endfor
        endfor
    endfor
endfunction

for k = 0..2
    h = [64, 37, 150][k]
    w = [48, 83, 121][k]
    x = zeros(h, w)
    q = zeros(h, h)
    x8 = mat[uint8](h, w)
    x16 = mat[int16](h, w)
    x64 = mat[int64](h, w)
    for m = 0..h-1
        for n = 0..w-1
            x[m,n] = mod(m*31 + n*17 + m*n, 97)
            x8[m,n] = mod(m*31 + n*17 + m*n, 251)
            x16[m,n] = mod(m*31 + n*17 + m*n, 197)
            x64[m,n] = int64(mod(m*31 + n*17 + m*n, 997))*int64(100000)*int64(100000)
        endfor
        for n = 0..h-1
            q[m,n] = mod(m*29 + n*13 + m*n, 89)
        endfor
    endfor
    print told(other_diagonal(x))
    print told(symmetric(q))
    [y16, z16] = right(x16)
    print told(y16), " ", z16[3,5]
    print told(left8(x8))
    y64 = wide(x64)
    print y64[0,0], " ", y64[5,7], " ", y64[w-1,h-1], " ", y64[w-2,h-20], " ", y64[17,16]
    print told(nearest(q, 5))
    z = zeros(3, h, w)
    for c = 0..2
        for m = 0..h-1
            for n = 0..w-1
                z[c,m,n] = c + 3*x[m,n]
            endfor
        endfor
    endfor
    p = planes(z)
    print told(p[:,:,1]), " ", p[w-1,h-1,2]
endfor
% falls back on qpu: the for-loop
