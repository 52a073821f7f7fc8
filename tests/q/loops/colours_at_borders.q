% Stencils over channels that lie side by side: in the interior a neighbouring pixel's channel is a constant away, whatever keeps the
% neighbour inside the picture.
% out: [1609484, 24, 170, 202, 255, 94, 91]
% out: [4184034, 906, -21, 750, 324, 6, 351]
% out: [1453554, 39, 93, 239, 209, 107, 120]
% out: [-44221200, -500, -12100, -11500, 13700, -11300, -9000]
% out: [1090399, 24, 255, 227, 92, 94, 178]
% out: [2949795, 1131, -528, 975, -261, 6, 1107]
% out: [1060895, 39, 248, 176, 123, 107, 238]
% out: [-31707800, -500, -6300, -14000, -16100, -11300, -20800]
% out: [6522012, 24, 255, 108, 255, 94, 255]
% out: [17147622, 60, 309, -96, 840, 6, 159]
% out: [6254616, 39, 136, 169, 166, 107, 237]
% out: [-179566704, -500, -22600, -2100, 5600, -11300, -6800]
function r : vec = told(y)
    s = 0
    for i = 0..size(y,0)-1
        for j = 0..size(y,1)-1
            for c = 0..size(y,2)-1
                s += int(y[i,j,c])*(1 + mod(5*i + 3*j + c, 3))
            endfor
        endfor
    endfor
    h = size(y,0) - 1
    w = size(y,1) - 1
    r = [s, y[0,0,1], y[h,w,0], y[0,w,1], y[h,0,0], y[2,1,1], y[3,w-1,0]]
endfunction

function y : cube[uint8] = edges(x : cube[uint8]'clamped)
    y = cube[uint8](size(x,0), size(x,1), size(x,2))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                y[m,n,c] = min(abs(x[m,n+1,c] - x[m,n-2,c]) + x[m-1,n,c], 255)
            endfor
        endfor
    endfor
endfunction

function y : cube[int16] = spread(x : cube[int16]'circular)
    y = cube[int16](size(x,0), size(x,1), size(x,2))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                y[m,n,c] = 3*x[m,n-1,c] - x[m,n+3,c] + x[m+1,n+1,c]
            endfor
        endfor
    endfor
endfunction

function y : cube = largest(x : cube'mirror)
    y = zeros(size(x,0), size(x,1), size(x,2))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                y[m,n,c] = max(max(x[m,n-1,c], x[m,n+1,c]), x[m-1,n,c] + 1)
            endfor
        endfor
    endfor
endfunction

% What lies outside is nothing, and the limit is written out.
function y : cube[int] = inside(x : cube[int])
    y = cube[int](size(x,0), size(x,1), size(x,2))
    w = size(x,1)
    for m = 0..size(x,0)-1
        for n = 0..w-1
            for c = 0..size(x,2)-1
                y[m,n,c] = x[m,max(n-1,0),c] - 2*x[m,min(n+2,w-1),c]
            endfor
        endfor
    endfor
endfunction

for k = 0..2
    h = [33, 20, 64][k]
    w = [40, 71, 64][k]
    d = [3, 2, 4][k]
    x8 = cube[uint8](h, w, d)
    x16 = cube[int16](h, w, d)
    x32 = cube[int](h, w, d)
    x = zeros(h, w, d)
    for m = 0..h-1
        for n = 0..w-1
            for c = 0..d-1
                v = mod(m*31 + n*17 + c*7 + m*n, 251)
                x8[m,n,c] = v
                x16[m,n,c] = 3*v - 200
                x32[m,n,c] = 100*v - 7000
                x[m,n,c] = v
            endfor
        endfor
    endfor
    print told(edges(x8))
    print told(spread(x16))
    print told(largest(x))
    print told(inside(x32))
endfor
