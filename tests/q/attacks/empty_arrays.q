% Every access mode on arrays without elements: there is no edge, no period and no nearest element.
function [] = __kernel__ read_safe(y : vec, x : vec'safe, n : int, pos : int)
    y[pos] = x[pos + n]
endfunction
function [] = __kernel__ write_safe(y : vec, x : vec'safe, n : int, pos : int)
    x[pos + n] = 1
    y[pos] = 2
endfunction
function [] = __kernel__ add_safe(y : vec, x : vec'safe, n : int, pos : int)
    x[pos + n] += 1
    y[pos] = 3
endfunction
function [] = __kernel__ row_safe(y : vec, x : mat'safe, n : int, pos : int)
    y[pos] = x[pos, n]
endfunction
function [] = __kernel__ read_checked(y : vec, x : vec'checked, n : int, pos : int)
    y[pos] = x[pos + n]
endfunction
function [] = __kernel__ write_checked(y : vec, x : vec'checked, n : int, pos : int)
    x[pos + n] = 1
    y[pos] = 2
endfunction
function [] = __kernel__ add_checked(y : vec, x : vec'checked, n : int, pos : int)
    x[pos + n] += 1
    y[pos] = 3
endfunction
function [] = __kernel__ row_checked(y : vec, x : mat'checked, n : int, pos : int)
    y[pos] = x[pos, n]
endfunction
function [] = __kernel__ read_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    y[pos] = x[pos + n]
endfunction
function [] = __kernel__ write_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    x[pos + n] = 1
    y[pos] = 2
endfunction
function [] = __kernel__ add_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    x[pos + n] += 1
    y[pos] = 3
endfunction
function [] = __kernel__ row_clamped(y : vec, x : mat'clamped, n : int, pos : int)
    y[pos] = x[pos, n]
endfunction
function [] = __kernel__ read_circular(y : vec, x : vec'circular, n : int, pos : int)
    y[pos] = x[pos + n]
endfunction
function [] = __kernel__ write_circular(y : vec, x : vec'circular, n : int, pos : int)
    x[pos + n] = 1
    y[pos] = 2
endfunction
function [] = __kernel__ add_circular(y : vec, x : vec'circular, n : int, pos : int)
    x[pos + n] += 1
    y[pos] = 3
endfunction
function [] = __kernel__ row_circular(y : vec, x : mat'circular, n : int, pos : int)
    y[pos] = x[pos, n]
endfunction
function [] = __kernel__ read_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    y[pos] = x[pos + n]
endfunction
function [] = __kernel__ write_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    x[pos + n] = 1
    y[pos] = 2
endfunction
function [] = __kernel__ add_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    x[pos + n] += 1
    y[pos] = 3
endfunction
function [] = __kernel__ row_mirror(y : vec, x : mat'mirror, n : int, pos : int)
    y[pos] = x[pos, n]
endfunction
function [] = attempt(what, x, n, k)
    y = zeros(4)
    try
        parallel_do(4, y, x, n, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("read safe", zeros(0), 0, read_safe)
attempt("write safe", zeros(0), 0, write_safe)
attempt("add safe", zeros(0), 0, add_safe)
attempt("row safe, no rows", zeros(0, 5), 0, row_safe)
attempt("row safe, no columns", zeros(5, 0), 1, row_safe)
attempt("read safe, far", zeros(0), maxvalue(int), read_safe)
attempt("read checked", zeros(0), 0, read_checked)
attempt("write checked", zeros(0), 0, write_checked)
attempt("add checked", zeros(0), 0, add_checked)
attempt("row checked, no rows", zeros(0, 5), 0, row_checked)
attempt("row checked, no columns", zeros(5, 0), 1, row_checked)
attempt("read checked, far", zeros(0), maxvalue(int), read_checked)
attempt("read clamped", zeros(0), 0, read_clamped)
attempt("write clamped", zeros(0), 0, write_clamped)
attempt("add clamped", zeros(0), 0, add_clamped)
attempt("row clamped, no rows", zeros(0, 5), 0, row_clamped)
attempt("row clamped, no columns", zeros(5, 0), 1, row_clamped)
attempt("read clamped, far", zeros(0), maxvalue(int), read_clamped)
attempt("read circular", zeros(0), 0, read_circular)
attempt("write circular", zeros(0), 0, write_circular)
attempt("add circular", zeros(0), 0, add_circular)
attempt("row circular, no rows", zeros(0, 5), 0, row_circular)
attempt("row circular, no columns", zeros(5, 0), 1, row_circular)
attempt("read circular, far", zeros(0), maxvalue(int), read_circular)
attempt("read mirror", zeros(0), 0, read_mirror)
attempt("write mirror", zeros(0), 0, write_mirror)
attempt("add mirror", zeros(0), 0, add_mirror)
attempt("row mirror, no rows", zeros(0, 5), 0, row_mirror)
attempt("row mirror, no columns", zeros(5, 0), 1, row_mirror)
attempt("read mirror, far", zeros(0), maxvalue(int), read_mirror)
% out: read safe: [0, 0, 0, 0]
% out: write safe: [2, 2, 2, 2]
% out: add safe: [3, 3, 3, 3]
% out: row safe, no rows: [0, 0, 0, 0]
% out: row safe, no columns: [0, 0, 0, 0]
% out: read safe, far: [0, 0, 0, 0]
% out: read checked: index 0 is out of bounds in 'x', which is empty
% out: write checked: index 0 is out of bounds in 'x', which is empty
% out: add checked: index 0 is out of bounds in 'x', which is empty
% out: row checked, no rows: index 0 is out of bounds in 'x', which is empty
% out: row checked, no columns: index 1 is out of bounds in 'x', which is empty
% out: read checked, far: index 2147483647 is out of bounds in 'x', which is empty
% out: read clamped: index 0 is out of bounds in 'x', which is empty
% out: write clamped: index 0 is out of bounds in 'x', which is empty
% out: add clamped: index 0 is out of bounds in 'x', which is empty
% out: row clamped, no rows: index 0 is out of bounds in 'x', which is empty
% out: row clamped, no columns: index 1 is out of bounds in 'x', which is empty
% out: read clamped, far: index 2147483647 is out of bounds in 'x', which is empty
% out: read circular: index 0 is out of bounds in 'x', which is empty
% out: write circular: index 0 is out of bounds in 'x', which is empty
% out: add circular: index 0 is out of bounds in 'x', which is empty
% out: row circular, no rows: index 0 is out of bounds in 'x', which is empty
% out: row circular, no columns: index 1 is out of bounds in 'x', which is empty
% out: read circular, far: index 2147483647 is out of bounds in 'x', which is empty
% out: read mirror: index 0 is out of bounds in 'x', which is empty
% out: write mirror: index 0 is out of bounds in 'x', which is empty
% out: add mirror: index 0 is out of bounds in 'x', which is empty
% out: row mirror, no rows: index 0 is out of bounds in 'x', which is empty
% out: row mirror, no columns: index 1 is out of bounds in 'x', which is empty
% out: read mirror, far: index 2147483647 is out of bounds in 'x', which is empty
