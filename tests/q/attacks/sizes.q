% Arrays of no, negative and enormous sizes, and arrays that are shorter than the loop believed.
function [] = made(n, m)
    z = zeros(n)
    for i = 0..3
        z[i] = i + 1
    endfor
    print sum(z)
endfunction
function [] = matrix(n, m)
    z = zeros(n, m)
    for i = 0..1
        for j = 0..1
            z[i, j] = 1
        endfor
    endfor
    print size(z), " ", sum(z[:])
endfunction
function [] = cube_of(n, m)
    z = cube(n, m, 2)
    for i = 0..1
        z[i, 1, i] = 1
    endfor
    print sum(z[:])
endfunction
function [] = shaped(n, m)
    z = reshape(ones(4), n, m)
    for i = 0..1
        z[i, i] = 3
    endfor
    print sum(z[:])
endfunction
function [] = repeated(n, m)
    z = repmat([1,2], n, m)
    y = zeros(4)
    for i = 0..3
        y[i] = z[0, i]
    endfor
    print y
endfunction
function [] = bytes_of(n, m)
    z = mat[uint8](n, m)
    for i = 0..3
        z[0, i] = 200
    endfor
    print sum(z[:])
endfunction
function [] = positions(n, m)
    y = zeros(4)
    for i = 0..3
        p = ind2pos([n, m], i)
        y[p[1]] = 1
    endfor
    print y
endfunction
function [] = sliced(n, m)
    z = zeros(4)
    y = z[0..n - 1]
    for i = 0..3
        y[i] = 1
    endfor
    print z
endfunction
function [] = filled(n, m)
    y = zeros(4)
    y[0..n - 1] = 1
    print y
endfunction
function [] = cell_of(n, m)
    c = cell(n)
    for i = 0..1
        c[i] = zeros(m)
    endfor
    for i = 0..1
        c[i][i] = 1
    endfor
    print numel(c)
endfunction
function [] = parts(n, m)
    y = zeros(4)
    for i = 0..3
        y[i] = sum(y[max(i - n, 0)..min(i + m, 3)]) + 1
    endfor
    print y
endfunction
function [] = launched(n, m)
    function [] = __kernel__ k(z : vec, pos : int)
        z[pos] = 1
    endfunction
    z = zeros(4)
    parallel_do(n, z, k)
    print z
endfunction
function [] = attempt(what, f)
    for s = {[0,0], [2,2], [-1,2], [4,0], [3,-5], [1,4], [maxvalue(int),2], [minvalue(int),-1], [1048576,1048576]}
        try
            f(int(s[0]), int(s[1]))
        catch ex
            print what, ": ", ex.message
        endtry
    endfor
endfunction
attempt("made", made)
attempt("matrix", matrix)
attempt("cube", cube_of)
attempt("shaped", shaped)
attempt("repeated", repeated)
attempt("bytes", bytes_of)
attempt("positions", positions)
attempt("sliced", sliced)
attempt("filled", filled)
attempt("cells", cell_of)
attempt("parts", parts)
% out: made: index 0 is out of bounds in 'z', which is empty
% out: made: index 2 is out of bounds (0..1) in 'z'
% out: made: a length of -1 for an array
% out: 10
% out: made: index 3 is out of bounds (0..2) in 'z'
% out: made: index 1 is out of bounds (0..0) in 'z'
% out: made: value 2147483648 does not fit in int
% out: made: a length of -2147483648 for an array
% out: 10
% out: matrix: index 0 is out of bounds in 'z', which is empty
% out: [2, 2] 4
% out: matrix: a length of -1 for an array
% out: matrix: index 0 is out of bounds in 'z', which is empty
% out: matrix: a length of -5 for an array
% out: matrix: index 1 is out of bounds (0..0) in 'z'
% out: matrix: value 2147483648 does not fit in int
% out: matrix: a length of -2147483648 for an array
% out: matrix: out of memory: an array of size 1048576x1048576
% out: cube: index 0 is out of bounds in 'z', which is empty
% out: 2
% out: cube: a length of -1 for an array
% out: cube: index 1 is out of bounds in 'z', which is empty
% out: cube: a length of -5 for an array
% out: cube: index 1 is out of bounds (0..0) in 'z'
% out: cube: value 2147483648 does not fit in int
% out: cube: a length of -2147483648 for an array
% out: cube: out of memory: an array of size 1048576x1048576x2
% out: shaped: an array of size 1x4 cannot be reshaped to 0x0
% out: 8
% out: shaped: a length of -1 for the result
% out: shaped: an array of size 1x4 cannot be reshaped to 4x0
% out: shaped: a length of -5 for the result
% out: shaped: index 1 is out of bounds (0..0) in 'z'
% out: shaped: value 2147483648 does not fit in int
% out: shaped: a length of -2147483648 for the result
% out: shaped: an array of size 1x4 cannot be reshaped to 1048576x1048576
% out: [0, 0, 0, 0]
% out: [1, 2, 1, 2]
% out: repeated: a length of -1 for the result
% out: [0, 0, 0, 0]
% out: repeated: a length of -5 for the result
% out: [1, 2, 1, 2]
% out: repeated: value 2147483648 does not fit in int
% out: repeated: a length of -2147483648 for the result
% out: repeated: out of memory: a result of size 1048576x2097152
% out: bytes: index 0 is out of bounds in 'z', which is empty
% out: bytes: index 2 is out of bounds (0..1) in 'z'
% out: bytes: a length of -1 for an array
% out: bytes: index 0 is out of bounds in 'z', which is empty
% out: bytes: a length of -5 for an array
% out: 800
% out: bytes: value 2147483648 does not fit in int
% out: bytes: a length of -2147483648 for an array
% out: bytes: out of memory: an array of size 1048576x1048576
% out: [1, 0, 0, 0]
% out: [1, 1, 0, 0]
% out: [1, 1, 0, 0]
% out: [1, 0, 0, 0]
% out: [1, 0, 0, 0]
% out: positions: index 1 is out of bounds (0..0) in 'p'
% out: positions: value 2147483648 does not fit in int
% out: [1, 0, 0, 0]
% out: [1, 1, 1, 1]
% out: sliced: index 0 is out of bounds in 'y', which is empty
% out: sliced: index 2 is out of bounds (0..1) in 'y'
% out: sliced: index 0 is out of bounds in 'y', which is empty
% out: [0, 0, 0, 0]
% out: sliced: index 3 is out of bounds (0..2) in 'y'
% out: sliced: index 1 is out of bounds (0..0) in 'y'
% out: sliced: value 2147483648 does not fit in int
% out: sliced: integer overflow in -2147483648 - 1
% out: sliced: index 4 is out of bounds (0..3) in 'z'
% out: [0, 0, 0, 0]
% out: [1, 1, 0, 0]
% out: [0, 0, 0, 0]
% out: [1, 1, 1, 1]
% out: [1, 1, 1, 0]
% out: [1, 0, 0, 0]
% out: filled: value 2147483648 does not fit in int
% out: filled: integer overflow in -2147483648 - 1
% out: filled: index 4 is out of bounds (0..3) in 'y'
% out: cells: index 0 is out of bounds in 'c', which is empty
% out: 2
% out: cells: a length of -1 for an array
% out: cells: index 0 is out of bounds in array, which is empty
% out: cells: a length of -5 for an array
% out: cells: index 1 is out of bounds (0..0) in 'c'
% out: cells: value 2147483648 does not fit in int
% out: cells: a length of -2147483648 for an array
% out: 1048576
% out: [1, 1, 1, 1]
% out: [1, 2, 4, 7]
% out: [1, 1, 1, 1]
% out: [1, 2, 4, 8]
% out: [1, 1, 1, 1]
% out: [1, 2, 3, 4]
% out: parts: value 2147483648 does not fit in int
% out: parts: integer overflow in 0 - -2147483648
% out: [1, 2, 4, 8]
