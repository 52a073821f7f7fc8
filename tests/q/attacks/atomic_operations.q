% Operations in one step on elements that are not there.
function [] = __kernel__ a_safe(y : vec, x : vec'safe, n : int, pos : int)
    y[pos] = (x[n + pos] += 1)
endfunction
function [] = __kernel__ b_safe(y : vec, x : vec'safe, n : int, pos : int)
    x[n] ^^= pos
    y[pos] = 1
endfunction
function [] = __kernel__ a_checked(y : vec, x : vec'checked, n : int, pos : int)
    y[pos] = (x[n + pos] += 1)
endfunction
function [] = __kernel__ b_checked(y : vec, x : vec'checked, n : int, pos : int)
    x[n] ^^= pos
    y[pos] = 1
endfunction
function [] = __kernel__ a_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    y[pos] = (x[n + pos] += 1)
endfunction
function [] = __kernel__ b_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    x[n] ^^= pos
    y[pos] = 1
endfunction
function [] = __kernel__ a_circular(y : vec, x : vec'circular, n : int, pos : int)
    y[pos] = (x[n + pos] += 1)
endfunction
function [] = __kernel__ b_circular(y : vec, x : vec'circular, n : int, pos : int)
    x[n] ^^= pos
    y[pos] = 1
endfunction
function [] = __kernel__ a_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    y[pos] = (x[n + pos] += 1)
endfunction
function [] = __kernel__ b_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    x[n] ^^= pos
    y[pos] = 1
endfunction
function [] = attempt(what, n, k)
    y = zeros(4)
    x = [1,2,3,4,5]
    try
        parallel_do(4, y, x, n, k)
        print what, ": ", y, " ", x
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("add safe, inside", 1, a_safe)
attempt("add safe, least", minvalue(int), a_safe)
attempt("add safe, behind", 1000000, a_safe)
attempt("maximum safe, inside", 1, b_safe)
attempt("maximum safe, minus one", -1, b_safe)
attempt("maximum safe, greatest", maxvalue(int), b_safe)
attempt("add checked, inside", 1, a_checked)
attempt("add checked, least", minvalue(int), a_checked)
attempt("add checked, behind", 1000000, a_checked)
attempt("maximum checked, inside", 1, b_checked)
attempt("maximum checked, minus one", -1, b_checked)
attempt("maximum checked, greatest", maxvalue(int), b_checked)
attempt("add clamped, inside", 1, a_clamped)
attempt("add clamped, least", minvalue(int), a_clamped)
attempt("add clamped, behind", 1000000, a_clamped)
attempt("maximum clamped, inside", 1, b_clamped)
attempt("maximum clamped, minus one", -1, b_clamped)
attempt("maximum clamped, greatest", maxvalue(int), b_clamped)
attempt("add circular, inside", 1, a_circular)
attempt("add circular, least", minvalue(int), a_circular)
attempt("add circular, behind", 1000000, a_circular)
attempt("maximum circular, inside", 1, b_circular)
attempt("maximum circular, minus one", -1, b_circular)
attempt("maximum circular, greatest", maxvalue(int), b_circular)
attempt("add mirror, inside", 1, a_mirror)
attempt("add mirror, least", minvalue(int), a_mirror)
attempt("add mirror, behind", 1000000, a_mirror)
attempt("maximum mirror, inside", 1, b_mirror)
attempt("maximum mirror, minus one", -1, b_mirror)
attempt("maximum mirror, greatest", maxvalue(int), b_mirror)
% out: add safe, inside: [3, 4, 5, 6] [1, 3, 4, 5, 6]
% out: add safe, least: [1, 1, 1, 1] [1, 2, 3, 4, 5]
% out: add safe, behind: [1, 1, 1, 1] [1, 2, 3, 4, 5]
% out: maximum safe, inside: [1, 1, 1, 1] [1, 3, 3, 4, 5]
% out: maximum safe, minus one: [1, 1, 1, 1] [1, 2, 3, 4, 5]
% out: maximum safe, greatest: [1, 1, 1, 1] [1, 2, 3, 4, 5]
% out: add checked, inside: [3, 4, 5, 6] [1, 3, 4, 5, 6]
% out: add checked, least: index -2147483648 is out of bounds (0..4) in 'x'
% out: add checked, behind: index 1000000 is out of bounds (0..4) in 'x'
% out: maximum checked, inside: [1, 1, 1, 1] [1, 3, 3, 4, 5]
% out: maximum checked, minus one: index -1 is out of bounds (0..4) in 'x'
% out: maximum checked, greatest: index 2147483647 is out of bounds (0..4) in 'x'
% out: add clamped, inside: [3, 4, 5, 6] [1, 3, 4, 5, 6]
% out: add clamped, least: [2, 3, 4, 5] [5, 2, 3, 4, 5]
% out: add clamped, behind: [6, 7, 8, 9] [1, 2, 3, 4, 9]
% out: maximum clamped, inside: [1, 1, 1, 1] [1, 3, 3, 4, 5]
% out: maximum clamped, minus one: [1, 1, 1, 1] [3, 2, 3, 4, 5]
% out: maximum clamped, greatest: [1, 1, 1, 1] [1, 2, 3, 4, 5]
% out: add circular, inside: [3, 4, 5, 6] [1, 3, 4, 5, 6]
% out: add circular, least: [4, 5, 6, 2] [2, 2, 4, 5, 6]
% out: add circular, behind: [2, 3, 4, 5] [2, 3, 4, 5, 5]
% out: maximum circular, inside: [1, 1, 1, 1] [1, 3, 3, 4, 5]
% out: maximum circular, minus one: [1, 1, 1, 1] [1, 2, 3, 4, 5]
% out: maximum circular, greatest: [1, 1, 1, 1] [1, 2, 3, 4, 5]
% out: add mirror, inside: [3, 4, 5, 6] [1, 3, 4, 5, 6]
% out: add mirror, least: [2, 3, 4, 5] [2, 3, 4, 5, 5]
% out: add mirror, behind: [2, 3, 4, 5] [2, 3, 4, 5, 5]
% out: maximum mirror, inside: [1, 1, 1, 1] [1, 3, 3, 4, 5]
% out: maximum mirror, minus one: [1, 1, 1, 1] [1, 3, 3, 4, 5]
% out: maximum mirror, greatest: [1, 1, 1, 1] [1, 3, 3, 4, 5]
