% Arrays in cells, objects and types, of complex numbers, bytes and 16 bits.
type pair : class
    a : vec
    b : vec
endtype
function [] = in_cell(n)
    c = {zeros(3), zeros(5)}
    for i = 0..4
        c[1][i + n] = i
    endfor
    print c[1]
endfunction
function [] = cell_number(n)
    c = {[1,2,3], [4,5,6]}
    y = zeros(3)
    for i = 0..2
        y[i] = c[n][i]
    endfor
    print y
endfunction
function [] = in_object(n)
    s = object(v := zeros(4), w := [1,2])
    for i = 0..3
        s.v[i] = s.w[i * n]
    endfor
    print s.v
endfunction
function [] = in_field(n)
    p = pair(a := [1,2,3,4], b := zeros(4))
    for i = 0..3
        p.b[i + n] = p.a[i]
    endfor
    print p.b
endfunction
function [] = of_complex(n)
    z = complex([1,2,3,4], [4,3,2,1])
    y = complex(zeros(4), zeros(4))
    for i = 0..3
        y[i] = z[i * n] * 2
    endfor
    print sum(y)
endfunction
function [] = parts_of_complex(n)
    z = complex([1,2,3,4], [4,3,2,1])
    y = zeros(4)
    for i = 0..3
        y[i] = real(z[i]) + imag(z[3 - i + n])
    endfor
    print y
endfunction
function [] = of_bytes(n)
    b : vec[uint8] = uint8([250, 1, 255, 7])
    y = zeros(4)
    for i = 0..3
        y[b[i] - 250 + n] = 1
    endfor
    print y
endfunction
function [] = into_bytes(n)
    b : vec[uint8] = uint8([1, 2, 3, 4])
    for i = 0..3
        b[i + n] = 9
    endfor
    print b
endfunction
function [] = by_bytes(n)
    b : vec[int8] = int8([-1, 0, 1, 127])
    y = zeros(4)
    for i = 0..3
        y[b[i] * n] = i
    endfor
    print y
endfunction
function [] = of_shorts(n)
    b : vec[int16] = int16([0, 1, 2, 32767])
    y = zeros(4)
    for i = 0..2
        y[i] = b[b[i] + n]
    endfor
    print y
endfunction
function [] = of_shorts_wrapped(n)
    b : vec[uint16] = uint16([65535, 1, 2, 3])
    y = zeros(4)
    for i = 0..3
        y[b[i] + 1 - 65536 + n] = i
    endfor
    print y
endfunction
function [] = of_truths(n)
    x = [1,2,3,4]
    y = zeros(2)
    for i = 0..3
        y[x[i] > 2 + n] = i
    endfor
    print y
endfunction
function [] = attempt(what, f)
    for n = [0, 1, -1, 5, minvalue(int), maxvalue(int)]
        try
            f(n)
        catch ex
            print what, " ", n, ": ", ex.message
        endtry
    endfor
endfunction
attempt("cell", in_cell)
attempt("cell number", cell_number)
attempt("object", in_object)
attempt("field", in_field)
attempt("complex", of_complex)
attempt("parts", parts_of_complex)
attempt("bytes", of_bytes)
attempt("into bytes", into_bytes)
attempt("by bytes", by_bytes)
attempt("shorts", of_shorts)
attempt("shorts wrapped", of_shorts_wrapped)
attempt("truths", of_truths)
% falls back: the for-loop
% out: [0, 1, 2, 3, 4]
% out: cell 1: index 5 is out of bounds (0..4) in array
% out: cell -1: index -1 is out of bounds (0..4) in array
% out: cell 5: index 5 is out of bounds (0..4) in array
% out: cell -2147483648: index -2147483648 is out of bounds (0..4) in array
% out: cell 2147483648: index 2147483648 is out of bounds (0..4) in array
% out: [1, 2, 3]
% out: [4, 5, 6]
% out: cell number -1: index -1 is out of bounds (0..1) in 'c'
% out: cell number 5: index 5 is out of bounds (0..1) in 'c'
% out: cell number -2147483648: index -2147483648 is out of bounds (0..1) in 'c'
% out: cell number 2147483648: index 2147483648 is out of bounds (0..1) in 'c'
% out: [1, 1, 1, 1]
% out: object 1: index 2 is out of bounds (0..1) in array
% out: object -1: index -1 is out of bounds (0..1) in array
% out: object 5: index 5 is out of bounds (0..1) in array
% out: object -2147483648: index -2147483648 is out of bounds (0..1) in array
% out: object 2147483648: index 2147483648 is out of bounds (0..1) in array
% out: [1, 2, 3, 4]
% out: field 1: index 4 is out of bounds (0..3) in array
% out: field -1: index -1 is out of bounds (0..3) in array
% out: field 5: index 5 is out of bounds (0..3) in array
% out: field -2147483648: index -2147483648 is out of bounds (0..3) in array
% out: field 2147483648: index 2147483648 is out of bounds (0..3) in array
% out: 8+32j
% out: 20+20j
% out: 2+8j
% out: 2+8j
% out: 2+8j
% out: 2+8j
% out: [2, 4, 6, 8]
% out: [1, 3, 5, 7]
% out: [3, 5, 7, 4]
% out: [1, 2, 3, 4]
% out: [1, 2, 3, 4]
% out: [1, 2, 3, 4]
% out: bytes 0: index -249 is out of bounds (0..3) in 'y'
% out: bytes 1: index -248 is out of bounds (0..3) in 'y'
% out: bytes -1: index -1 is out of bounds (0..3) in 'y'
% out: bytes 5: index 5 is out of bounds (0..3) in 'y'
% out: bytes -2147483648: index -2147483648 is out of bounds (0..3) in 'y'
% out: bytes 2147483648: index 2147483648 is out of bounds (0..3) in 'y'
% out: [9, 9, 9, 9]
% out: into bytes 1: index 4 is out of bounds (0..3) in 'b'
% out: into bytes -1: index -1 is out of bounds (0..3) in 'b'
% out: into bytes 5: index 5 is out of bounds (0..3) in 'b'
% out: into bytes -2147483648: index -2147483648 is out of bounds (0..3) in 'b'
% out: into bytes 2147483648: index 2147483648 is out of bounds (0..3) in 'b'
% out: [3, 0, 0, 0]
% out: by bytes 1: index -1 is out of bounds (0..3) in 'y'
% out: by bytes -1: index -1 is out of bounds (0..3) in 'y'
% out: by bytes 5: index -5 is out of bounds (0..3) in 'y'
% out: by bytes -2147483648: index 2147483648 is out of bounds (0..3) in 'y'
% out: by bytes 2147483648: index -2147483648 is out of bounds (0..3) in 'y'
% out: [0, 1, 2, 0]
% out: [1, 2, 32767, 0]
% out: [0, 0, 1, 0]
% out: [0, 0, 0, 0]
% out: [0, 0, 0, 0]
% out: [0, 0, 0, 0]
% out: shorts wrapped 0: index -65534 is out of bounds (0..3) in 'y'
% out: shorts wrapped 1: index -65533 is out of bounds (0..3) in 'y'
% out: shorts wrapped -1: index -1 is out of bounds (0..3) in 'y'
% out: shorts wrapped 5: index 5 is out of bounds (0..3) in 'y'
% out: shorts wrapped -2147483648: index -2147483648 is out of bounds (0..3) in 'y'
% out: shorts wrapped 2147483648: index 2147483648 is out of bounds (0..3) in 'y'
% out: [1, 3]
% out: [2, 3]
% out: [0, 3]
% out: [3, 0]
% out: [0, 3]
% out: [3, 0]
