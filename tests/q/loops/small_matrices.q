% Nests whose two innermost loops go over the elements of small matrices, of which lanes are the matrices.
% out: [14950, -29, 158, -29, 155]
% out: [37977, -21, 118, -21, 148]
% out: [91182, -9, 118, -9, 158]
% out: [42534, -154, 149, -154, 210]
% out: [-1070, 22, -12, -8, -31]
% out: [140542, 0, 123, 0, 45]
% out: [18758, -4, -105, -4, 78]
% out: [8017, 0, -3, 0, 16]
% out: [22475, -29, 48, -153, 155]
% out: [56759, -21, 87, -165, 148]
% out: [137226, -9, 102, -168, 158]
% out: [67951, -154, 128, -17, 210]
% out: [-1563, 22, -17, -13, -31]
% out: [202110, 0, 204, 55, 45]
% out: [27186, -4, 79, -9, 78]
% out: [11903, 0, 10, 0, 16]
function r : vec = told(y)
    s = 0
    for i = 0..size(y,0)-1
        for j = 0..size(y,1)-1
            for c = 0..size(y,2)-1
                s += int(y[i,j,c])*(1 + mod(7*i + 3*j + c, 5))
            endfor
        endfor
    endfor
    n = size(y,0) - 1
    r = [s, y[0,0,1], y[n,1,1], y[n,0,1], y[17,1,0]]
endfunction

function y : cube = products(a : cube, b : cube)
    y = zeros(size(a,0), size(a,1), size(b,2))
    for i = 0..size(a,0)-1
        for r = 0..size(a,1)-1
            for c = 0..size(b,2)-1
                s = 0.0
                for k = 0..size(a,2)-1
                    s += a[i,r,k]*b[i,k,c]
                endfor
                y[i,r,c] = s
            endfor
        endfor
    endfor
endfunction

% Matrices next to each other, past the last of which the first one is.
function y : cube[int] = between(a : cube[int]'circular)
    y = cube[int](size(a,0), 4, 3)
    for i = 0..size(a,0)-1
        for r = 0..3
            for c = 0..2
                y[i,r,c] = a[i,c,r] - 2*a[i+1,2-c,r] + r
            endfor
        endfor
    endfor
endfunction

function y : cube[uint8] = outer(a : mat[uint8], b : mat[uint8])
    y = cube[uint8](size(a,0), 2, 4)
    for i = 0..size(a,0)-1
        for r = 0..1
            for c = 0..3
                y[i,r,c] = mod(a[i,r]*b[i,c], 251)
            endfor
        endfor
    endfor
endfunction

% In place, and only where a condition holds.
function y : cube = scaled(y : cube, v : vec)
    for i = 0..size(y,0)-1
        for r = 0..3
            for c = 0..3
                if r >= c
                    y[i,r,c] += v[i]*y[i,r,c] - c
                endif
            endfor
        endfor
    endfor
endfunction

% Four neighbours in a row of nine, five and eleven: stores and loads by fours, and what is left.
function y : mat = fours(x : mat)
    y = zeros(size(x,0), 11)
    for i = 0..size(x,0)-1
        for k = 0..1
            y[i,5*k+1] = x[i,k] + x[i,k+3]
            y[i,5*k+2] = x[i,k+1] - x[i,k+2]
            y[i,5*k+3] = x[i,k+2]*2
            y[i,5*k+4] = x[i,k+3] - x[i,k]
            y[i,5*k+5] = x[i,k+5]
        endfor
    endfor
endfunction

function x = numbers(n, h, w)
    x = zeros(n, h, w)
    for i = 0..n-1
        for j = 0..h-1
            for k = 0..w-1
                x[i,j,k] = mod(31*i + 17*j + 5*k, 23) - 9
            endfor
        endfor
    endfor
endfunction

for n = [70, 101]
    for size = [2, 3, 4]
        print(told(products(numbers(n, size, size), numbers(n, size, size) + 1)))
    endfor
    print(told(products(numbers(n, 4, 7), numbers(n, 7, 2))))
    print(told(between(int(numbers(n, 3, 4)))))
    m = numbers(n, 4, 2) + 9
    print(told(outer(uint8(m[:,0..1,0]), uint8(m[:,:,1]))))
    print(told(scaled(numbers(n, 4, 4), numbers(n, 1, 1)[:])))
    x = numbers(n, 1, 9)
    y = fours(reshape(x, [n, 9]))
    print(told(reshape(y, [n, 11, 1])*1.0 + zeros(n, 11, 2)))
endfor
