% Floats as subscripts: beyond the integers, and infinite.
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
attempt("safe, 3e9", [1,2,3,4,5,6,7], 3e9, f_safe)
attempt("safe, -3e9", [1,2,3,4,5,6,7], -3e9, f_safe)
attempt("safe, 1e30", [1,2,3,4,5,6,7], 1e30, f_safe)
attempt("safe, -1e30", [1,2,3,4,5,6,7], -1e30, f_safe)
attempt("safe, infinity", [1,2,3,4,5,6,7], 1.0/0.0, f_safe)
attempt("safe, -infinity", [1,2,3,4,5,6,7], -1.0/0.0, f_safe)
attempt("safe, 2^31", [1,2,3,4,5,6,7], 2147483648.0, f_safe)
attempt("safe, -2^31", [1,2,3,4,5,6,7], -2147483648.0, f_safe)
attempt("safe, -0.9", [1,2,3,4,5,6,7], -0.9, f_safe)
attempt("safe, 6.99", [1,2,3,4,5,6,7], 6.99, f_safe)
attempt("checked, 3e9", [1,2,3,4,5,6,7], 3e9, f_checked)
attempt("checked, -3e9", [1,2,3,4,5,6,7], -3e9, f_checked)
attempt("checked, 1e30", [1,2,3,4,5,6,7], 1e30, f_checked)
attempt("checked, -1e30", [1,2,3,4,5,6,7], -1e30, f_checked)
attempt("checked, infinity", [1,2,3,4,5,6,7], 1.0/0.0, f_checked)
attempt("checked, -infinity", [1,2,3,4,5,6,7], -1.0/0.0, f_checked)
attempt("checked, 2^31", [1,2,3,4,5,6,7], 2147483648.0, f_checked)
attempt("checked, -2^31", [1,2,3,4,5,6,7], -2147483648.0, f_checked)
attempt("checked, -0.9", [1,2,3,4,5,6,7], -0.9, f_checked)
attempt("checked, 6.99", [1,2,3,4,5,6,7], 6.99, f_checked)
attempt("clamped, 3e9", [1,2,3,4,5,6,7], 3e9, f_clamped)
attempt("clamped, -3e9", [1,2,3,4,5,6,7], -3e9, f_clamped)
attempt("clamped, 1e30", [1,2,3,4,5,6,7], 1e30, f_clamped)
attempt("clamped, -1e30", [1,2,3,4,5,6,7], -1e30, f_clamped)
attempt("clamped, infinity", [1,2,3,4,5,6,7], 1.0/0.0, f_clamped)
attempt("clamped, -infinity", [1,2,3,4,5,6,7], -1.0/0.0, f_clamped)
attempt("clamped, 2^31", [1,2,3,4,5,6,7], 2147483648.0, f_clamped)
attempt("clamped, -2^31", [1,2,3,4,5,6,7], -2147483648.0, f_clamped)
attempt("clamped, -0.9", [1,2,3,4,5,6,7], -0.9, f_clamped)
attempt("clamped, 6.99", [1,2,3,4,5,6,7], 6.99, f_clamped)
attempt("circular, 3e9", [1,2,3,4,5,6,7], 3e9, f_circular)
attempt("circular, -3e9", [1,2,3,4,5,6,7], -3e9, f_circular)
attempt("circular, 1e30", [1,2,3,4,5,6,7], 1e30, f_circular)
attempt("circular, -1e30", [1,2,3,4,5,6,7], -1e30, f_circular)
attempt("circular, infinity", [1,2,3,4,5,6,7], 1.0/0.0, f_circular)
attempt("circular, -infinity", [1,2,3,4,5,6,7], -1.0/0.0, f_circular)
attempt("circular, 2^31", [1,2,3,4,5,6,7], 2147483648.0, f_circular)
attempt("circular, -2^31", [1,2,3,4,5,6,7], -2147483648.0, f_circular)
attempt("circular, -0.9", [1,2,3,4,5,6,7], -0.9, f_circular)
attempt("circular, 6.99", [1,2,3,4,5,6,7], 6.99, f_circular)
attempt("mirror, 3e9", [1,2,3,4,5,6,7], 3e9, f_mirror)
attempt("mirror, -3e9", [1,2,3,4,5,6,7], -3e9, f_mirror)
attempt("mirror, 1e30", [1,2,3,4,5,6,7], 1e30, f_mirror)
attempt("mirror, -1e30", [1,2,3,4,5,6,7], -1e30, f_mirror)
attempt("mirror, infinity", [1,2,3,4,5,6,7], 1.0/0.0, f_mirror)
attempt("mirror, -infinity", [1,2,3,4,5,6,7], -1.0/0.0, f_mirror)
attempt("mirror, 2^31", [1,2,3,4,5,6,7], 2147483648.0, f_mirror)
attempt("mirror, -2^31", [1,2,3,4,5,6,7], -2147483648.0, f_mirror)
attempt("mirror, -0.9", [1,2,3,4,5,6,7], -0.9, f_mirror)
attempt("mirror, 6.99", [1,2,3,4,5,6,7], 6.99, f_mirror)
% out: safe, 3e9: [0, 0, 0, 0]
% out: safe, -3e9: [0, 0, 0, 0]
% out: safe, 1e30: [0, 0, 0, 0]
% out: safe, -1e30: [0, 0, 0, 0]
% out: safe, infinity: [0, 0, 0, 0]
% out: safe, -infinity: [0, 0, 0, 0]
% out: safe, 2^31: [0, 0, 0, 0]
% out: safe, -2^31: [0, 0, 0, 0]
% out: safe, -0.9: [1, 1, 1, 1]
% out: safe, 6.99: [7, 7, 7, 7]
% out: checked, 3e9: index 3000000000 is out of bounds (0..6) in 'x'
% out: checked, -3e9: index -3000000000 is out of bounds (0..6) in 'x'
% out: checked, 1e30: index 9223372036854775807 is out of bounds (0..6) in 'x'
% out: checked, -1e30: index -9223372036854775808 is out of bounds (0..6) in 'x'
% out: checked, infinity: index 9223372036854775807 is out of bounds (0..6) in 'x'
% out: checked, -infinity: index -9223372036854775808 is out of bounds (0..6) in 'x'
% out: checked, 2^31: index 2147483648 is out of bounds (0..6) in 'x'
% out: checked, -2^31: index -2147483648 is out of bounds (0..6) in 'x'
% out: checked, -0.9: [1, 1, 1, 1]
% out: checked, 6.99: [7, 7, 7, 7]
% out: clamped, 3e9: [7, 7, 7, 7]
% out: clamped, -3e9: [1, 1, 1, 1]
% out: clamped, 1e30: [7, 7, 7, 7]
% out: clamped, -1e30: [1, 1, 1, 1]
% out: clamped, infinity: [7, 7, 7, 7]
% out: clamped, -infinity: [1, 1, 1, 1]
% out: clamped, 2^31: [7, 7, 7, 7]
% out: clamped, -2^31: [1, 1, 1, 1]
% out: clamped, -0.9: [1, 1, 1, 1]
% out: clamped, 6.99: [7, 7, 7, 7]
% out: circular, 3e9: [5, 5, 5, 5]
% out: circular, -3e9: [4, 4, 4, 4]
% out: circular, 1e30: [1, 1, 1, 1]
% out: circular, -1e30: [7, 7, 7, 7]
% out: circular, infinity: [1, 1, 1, 1]
% out: circular, -infinity: [7, 7, 7, 7]
% out: circular, 2^31: [3, 3, 3, 3]
% out: circular, -2^31: [6, 6, 6, 6]
% out: circular, -0.9: [1, 1, 1, 1]
% out: circular, 6.99: [7, 7, 7, 7]
% out: mirror, 3e9: [1, 1, 1, 1]
% out: mirror, -3e9: [1, 1, 1, 1]
% out: mirror, 1e30: [6, 6, 6, 6]
% out: mirror, -1e30: [5, 5, 5, 5]
% out: mirror, infinity: [6, 6, 6, 6]
% out: mirror, -infinity: [5, 5, 5, 5]
% out: mirror, 2^31: [5, 5, 5, 5]
% out: mirror, -2^31: [5, 5, 5, 5]
% out: mirror, -0.9: [1, 1, 1, 1]
% out: mirror, 6.99: [7, 7, 7, 7]
