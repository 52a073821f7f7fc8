% What is no number counts as 0 as a subscript. The QPU has none.
% args: --device interp
function [] = __kernel__ f_safe(y : vec, x : vec'safe, f : scalar, pos : int)
    y[pos] = x[f]
endfunction
function [] = __kernel__ f_checked(y : vec, x : vec'checked, f : scalar, pos : int)
    y[pos] = x[f]
endfunction
function [] = __kernel__ f_clamped(y : vec, x : vec'clamped, f : scalar, pos : int)
    y[pos] = x[f]
endfunction
function [] = __kernel__ f_circular(y : vec, x : vec'circular, f : scalar, pos : int)
    y[pos] = x[f]
endfunction
function [] = __kernel__ f_mirror(y : vec, x : vec'mirror, f : scalar, pos : int)
    y[pos] = x[f]
endfunction
function [] = attempt(what, x, f, k)
    y = zeros(4)
    try
        parallel_do(4, y, x, f, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
% Floats as subscripts: beyond the integers, infinite, no numbers at all. What is no number counts as 0.
attempt("safe, no number", [1,2,3,4,5,6,7], 0.0/0.0, f_safe)
attempt("checked, no number", [1,2,3,4,5,6,7], 0.0/0.0, f_checked)
attempt("clamped, no number", [1,2,3,4,5,6,7], 0.0/0.0, f_clamped)
attempt("circular, no number", [1,2,3,4,5,6,7], 0.0/0.0, f_circular)
attempt("mirror, no number", [1,2,3,4,5,6,7], 0.0/0.0, f_mirror)
% out: safe, no number: [1, 1, 1, 1]
% out: checked, no number: [1, 1, 1, 1]
% out: clamped, no number: [1, 1, 1, 1]
% out: circular, no number: [1, 1, 1, 1]
% out: mirror, no number: [1, 1, 1, 1]
