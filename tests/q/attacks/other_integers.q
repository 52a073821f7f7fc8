% Indices from arrays of integers of all widths, also through several arrays.
function [] = __kernel__ bytes(y : vec, x : vec, t : vec[uint8], pos : int)
    y[pos] = x[t[pos]] + x[t[pos] - 250]
endfunction
function [] = __kernel__ words(y : vec, x : vec, t : vec[int16], pos : int)
    y[pos] = x[t[pos]] + x[-t[pos]]
endfunction
function [] = __kernel__ unsigned(y : vec, x : vec, t : vec[uint32], pos : int)
    y[pos] = x[t[pos]]
endfunction
function [] = __kernel__ ints(y : vec, x : vec, t : vec[int], pos : int)
    y[pos] = x[t[pos] + 1] + x[t[pos] - 1] + x[-t[pos]]
endfunction
function [] = __kernel__ chain(y : vec, x : vec, t : vec[int], pos : int)
    y[pos] = x[t[t[t[pos]]]]
endfunction
function [] = attempt(what, t, k)
    y = zeros(4)
    try
        parallel_do(4, y, [1,2,3,4,5], t, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
function t = bytes_of(a, b, c, d)
    t = vec[uint8](4)
    t[0] = a
    t[1] = b
    t[2] = c
    t[3] = d
endfunction
function t = words_of(a, b, c, d)
    t = vec[int16](4)
    t[0] = a
    t[1] = b
    t[2] = c
    t[3] = d
endfunction
function t = ints_of(a, b, c, d)
    t = vec[int](4)
    t[0] = a
    t[1] = b
    t[2] = c
    t[3] = d
endfunction
function t = unsigned_of(a, b, c, d)
    t = vec[uint32](4)
    t[0] = a
    t[1] = b
    t[2] = c
    t[3] = d
endfunction
big = maxvalue(int)
low = minvalue(int)
attempt("bytes", bytes_of(0, 4, 5, 255), bytes)
attempt("words", words_of(-32768, 4, 32767, -4), words)
attempt("ints", ints_of(low, big, 0, 4), ints)
attempt("ints inside", ints_of(1, 2, 3, 0), ints)
attempt("chain", ints_of(1, 2, 3, 0), chain)
attempt("chain, outside", ints_of(low, 100000, -1, big), chain)
attempt("unsigned", unsigned_of(0, 4, 5, big), unsigned)
% out: bytes: [1, 5, 0, 0]
% out: words: [0, 5, 0, 5]
% out: ints: [0, 0, 3, 4]
% out: ints inside: [4, 6, 8, 3]
% out: chain: [4, 1, 2, 3]
% out: chain, outside: [0, 0, 0, 0]
% out: unsigned: [1, 5, 0, 0]
