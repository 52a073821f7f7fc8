% Integers of 64 bits as subscripts. The QPU has none.
% args: --device interp
function [] = __kernel__ wide(y : vec, x : vec, t : vec[int64], pos : int)
    y[pos] = x[t[pos]]
endfunction
function [] = __kernel__ wide_clamped(y : vec, x : vec'clamped, t : vec[int64], pos : int)
    y[pos] = x[t[pos]]
endfunction
function [] = __kernel__ wide_circular(y : vec, x : vec'circular, t : vec[int64], pos : int)
    y[pos] = x[t[pos]]
endfunction
function t = wide_of(a, b, c, d)
    t = vec[int64](4)
    t[0] = a
    t[1] = b
    t[2] = c
    t[3] = d
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
big = maxvalue(int)
low = minvalue(int)
one : int64 = 1
attempt("wide", wide_of(0, 4, big * one * 2 + 2, low * one * 2), wide)
attempt("wide, clamped", wide_of(0, 4, big * one * 2 + 2, low * one * 2), wide_clamped)
attempt("wide, circular", wide_of(0, 4, big * one * 2 + 2, low * one * 2), wide_circular)
% out: wide: [1, 5, 0, 0]
% out: wide, clamped: [1, 5, 5, 1]
% out: wide, circular: [1, 5, 2, 5]
