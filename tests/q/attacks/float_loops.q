% Loops over floats whose bounds are beyond all counting, infinite, or no numbers.
function [] = __kernel__ l_to(y : vec, x : vec, n : scalar, pos : int)
    c = 0
    for f = 0.0..1.0..n
        c += 1
        y[pos] = y[pos] + x[min(f, 4)]
        if c > 9
            break
        endif
    endfor
endfunction
function [] = __kernel__ l_tiny(y : vec, x : vec, n : scalar, pos : int)
    c = 0
    for f = 0.0..0.25..n
        c += 1
        y[pos] = y[pos] + x[f]
        if c > 99
            break
        endif
    endfor
endfunction
function [] = attempt(what, n, k)
    y = zeros(4)
    try
        parallel_do(4, y, [1,2,3,4,5], n, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("to, some", 3.0, l_to)
attempt("to, none", -1.0, l_to)
attempt("to, 1e30", 1e30, l_to)
attempt("to, no number", 0.0/0.0, l_to)
attempt("tiny, some", 3.0, l_tiny)
attempt("tiny, none", -1.0, l_tiny)
attempt("tiny, 1e30", 1e30, l_tiny)
attempt("tiny, no number", 0.0/0.0, l_tiny)
% out: to, some: [10, 10, 10, 10]
% out: to, none: [0, 0, 0, 0]
% out: to, 1e30: a range with 1e+30 items
% out: to, no number: [0, 0, 0, 0]
% out: tiny, some: [28, 28, 28, 28]
% out: tiny, none: [0, 0, 0, 0]
% out: tiny, 1e30: a range with 4e+30 items
% out: tiny, no number: [0, 0, 0, 0]
