% Subscripts far outside under every access mode, in vectors and matrices.
function [] = __kernel__ read_safe(y : vec, x : vec'safe, n : int, pos : int)
    y[pos] = x[n]
endfunction
function [] = __kernel__ pair_safe(y : vec, x : mat'safe, n : int, pos : int)
    y[pos] = x[n, pos] + x[pos, n]
endfunction
function [] = __kernel__ read_checked(y : vec, x : vec'checked, n : int, pos : int)
    y[pos] = x[n]
endfunction
function [] = __kernel__ pair_checked(y : vec, x : mat'checked, n : int, pos : int)
    y[pos] = x[n, pos] + x[pos, n]
endfunction
function [] = __kernel__ read_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    y[pos] = x[n]
endfunction
function [] = __kernel__ pair_clamped(y : vec, x : mat'clamped, n : int, pos : int)
    y[pos] = x[n, pos] + x[pos, n]
endfunction
function [] = __kernel__ read_circular(y : vec, x : vec'circular, n : int, pos : int)
    y[pos] = x[n]
endfunction
function [] = __kernel__ pair_circular(y : vec, x : mat'circular, n : int, pos : int)
    y[pos] = x[n, pos] + x[pos, n]
endfunction
function [] = __kernel__ read_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    y[pos] = x[n]
endfunction
function [] = __kernel__ pair_mirror(y : vec, x : mat'mirror, n : int, pos : int)
    y[pos] = x[n, pos] + x[pos, n]
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
attempt("read safe, least", [1,2,3,4,5], minvalue(int), read_safe)
attempt("read safe, least and one", [1,2,3,4,5], minvalue(int)+1, read_safe)
attempt("read safe, minus one", [1,2,3,4,5], -1, read_safe)
attempt("read safe, inside", [1,2,3,4,5], 3, read_safe)
attempt("read safe, just outside", [1,2,3,4,5], 5, read_safe)
attempt("read safe, 2^30", [1,2,3,4,5], 1073741824, read_safe)
attempt("read safe, greatest", [1,2,3,4,5], maxvalue(int), read_safe)
attempt("pair safe, least", [[1,2,3],[4,5,6],[7,8,9]], minvalue(int), pair_safe)
attempt("pair safe, minus one", [[1,2,3],[4,5,6],[7,8,9]], -1, pair_safe)
attempt("pair safe, 2^30", [[1,2,3],[4,5,6],[7,8,9]], 1073741824, pair_safe)
attempt("pair safe, greatest", [[1,2,3],[4,5,6],[7,8,9]], maxvalue(int), pair_safe)
attempt("read checked, least", [1,2,3,4,5], minvalue(int), read_checked)
attempt("read checked, least and one", [1,2,3,4,5], minvalue(int)+1, read_checked)
attempt("read checked, minus one", [1,2,3,4,5], -1, read_checked)
attempt("read checked, inside", [1,2,3,4,5], 3, read_checked)
attempt("read checked, just outside", [1,2,3,4,5], 5, read_checked)
attempt("read checked, 2^30", [1,2,3,4,5], 1073741824, read_checked)
attempt("read checked, greatest", [1,2,3,4,5], maxvalue(int), read_checked)
attempt("pair checked, least", [[1,2,3],[4,5,6],[7,8,9]], minvalue(int), pair_checked)
attempt("pair checked, minus one", [[1,2,3],[4,5,6],[7,8,9]], -1, pair_checked)
attempt("pair checked, 2^30", [[1,2,3],[4,5,6],[7,8,9]], 1073741824, pair_checked)
attempt("pair checked, greatest", [[1,2,3],[4,5,6],[7,8,9]], maxvalue(int), pair_checked)
attempt("read clamped, least", [1,2,3,4,5], minvalue(int), read_clamped)
attempt("read clamped, least and one", [1,2,3,4,5], minvalue(int)+1, read_clamped)
attempt("read clamped, minus one", [1,2,3,4,5], -1, read_clamped)
attempt("read clamped, inside", [1,2,3,4,5], 3, read_clamped)
attempt("read clamped, just outside", [1,2,3,4,5], 5, read_clamped)
attempt("read clamped, 2^30", [1,2,3,4,5], 1073741824, read_clamped)
attempt("read clamped, greatest", [1,2,3,4,5], maxvalue(int), read_clamped)
attempt("pair clamped, least", [[1,2,3],[4,5,6],[7,8,9]], minvalue(int), pair_clamped)
attempt("pair clamped, minus one", [[1,2,3],[4,5,6],[7,8,9]], -1, pair_clamped)
attempt("pair clamped, 2^30", [[1,2,3],[4,5,6],[7,8,9]], 1073741824, pair_clamped)
attempt("pair clamped, greatest", [[1,2,3],[4,5,6],[7,8,9]], maxvalue(int), pair_clamped)
attempt("read circular, least", [1,2,3,4,5], minvalue(int), read_circular)
attempt("read circular, least and one", [1,2,3,4,5], minvalue(int)+1, read_circular)
attempt("read circular, minus one", [1,2,3,4,5], -1, read_circular)
attempt("read circular, inside", [1,2,3,4,5], 3, read_circular)
attempt("read circular, just outside", [1,2,3,4,5], 5, read_circular)
attempt("read circular, 2^30", [1,2,3,4,5], 1073741824, read_circular)
attempt("read circular, greatest", [1,2,3,4,5], maxvalue(int), read_circular)
attempt("pair circular, least", [[1,2,3],[4,5,6],[7,8,9]], minvalue(int), pair_circular)
attempt("pair circular, minus one", [[1,2,3],[4,5,6],[7,8,9]], -1, pair_circular)
attempt("pair circular, 2^30", [[1,2,3],[4,5,6],[7,8,9]], 1073741824, pair_circular)
attempt("pair circular, greatest", [[1,2,3],[4,5,6],[7,8,9]], maxvalue(int), pair_circular)
attempt("read mirror, least", [1,2,3,4,5], minvalue(int), read_mirror)
attempt("read mirror, least and one", [1,2,3,4,5], minvalue(int)+1, read_mirror)
attempt("read mirror, minus one", [1,2,3,4,5], -1, read_mirror)
attempt("read mirror, inside", [1,2,3,4,5], 3, read_mirror)
attempt("read mirror, just outside", [1,2,3,4,5], 5, read_mirror)
attempt("read mirror, 2^30", [1,2,3,4,5], 1073741824, read_mirror)
attempt("read mirror, greatest", [1,2,3,4,5], maxvalue(int), read_mirror)
attempt("pair mirror, least", [[1,2,3],[4,5,6],[7,8,9]], minvalue(int), pair_mirror)
attempt("pair mirror, minus one", [[1,2,3],[4,5,6],[7,8,9]], -1, pair_mirror)
attempt("pair mirror, 2^30", [[1,2,3],[4,5,6],[7,8,9]], 1073741824, pair_mirror)
attempt("pair mirror, greatest", [[1,2,3],[4,5,6],[7,8,9]], maxvalue(int), pair_mirror)
% out: read safe, least: [0, 0, 0, 0]
% out: read safe, least and one: [0, 0, 0, 0]
% out: read safe, minus one: [0, 0, 0, 0]
% out: read safe, inside: [4, 4, 4, 4]
% out: read safe, just outside: [0, 0, 0, 0]
% out: read safe, 2^30: [0, 0, 0, 0]
% out: read safe, greatest: [0, 0, 0, 0]
% out: pair safe, least: [0, 0, 0, 0]
% out: pair safe, minus one: [0, 0, 0, 0]
% out: pair safe, 2^30: [0, 0, 0, 0]
% out: pair safe, greatest: [0, 0, 0, 0]
% out: read checked, least: index -2147483648 is out of bounds (0..4) in 'x'
% out: read checked, least and one: index -2147483647 is out of bounds (0..4) in 'x'
% out: read checked, minus one: index -1 is out of bounds (0..4) in 'x'
% out: read checked, inside: [4, 4, 4, 4]
% out: read checked, just outside: index 5 is out of bounds (0..4) in 'x'
% out: read checked, 2^30: index 1073741824 is out of bounds (0..4) in 'x'
% out: read checked, greatest: index 2147483647 is out of bounds (0..4) in 'x'
% out: pair checked, least: index -2147483648 is out of bounds (0..2) in 'x'
% out: pair checked, minus one: index -1 is out of bounds (0..2) in 'x'
% out: pair checked, 2^30: index 1073741824 is out of bounds (0..2) in 'x'
% out: pair checked, greatest: index 2147483647 is out of bounds (0..2) in 'x'
% out: read clamped, least: [1, 1, 1, 1]
% out: read clamped, least and one: [1, 1, 1, 1]
% out: read clamped, minus one: [1, 1, 1, 1]
% out: read clamped, inside: [4, 4, 4, 4]
% out: read clamped, just outside: [5, 5, 5, 5]
% out: read clamped, 2^30: [5, 5, 5, 5]
% out: read clamped, greatest: [5, 5, 5, 5]
% out: pair clamped, least: [2, 6, 10, 10]
% out: pair clamped, minus one: [2, 6, 10, 10]
% out: pair clamped, 2^30: [10, 14, 18, 18]
% out: pair clamped, greatest: [10, 14, 18, 18]
% out: read circular, least: [3, 3, 3, 3]
% out: read circular, least and one: [4, 4, 4, 4]
% out: read circular, minus one: [5, 5, 5, 5]
% out: read circular, inside: [4, 4, 4, 4]
% out: read circular, just outside: [1, 1, 1, 1]
% out: read circular, 2^30: [5, 5, 5, 5]
% out: read circular, greatest: [3, 3, 3, 3]
% out: pair circular, least: [6, 10, 14, 6]
% out: pair circular, minus one: [10, 14, 18, 10]
% out: pair circular, 2^30: [6, 10, 14, 6]
% out: pair circular, greatest: [6, 10, 14, 6]
% out: read mirror, least: [1, 1, 1, 1]
% out: read mirror, least and one: [2, 2, 2, 2]
% out: read mirror, minus one: [2, 2, 2, 2]
% out: read mirror, inside: [4, 4, 4, 4]
% out: read mirror, just outside: [4, 4, 4, 4]
% out: read mirror, 2^30: [1, 1, 1, 1]
% out: read mirror, greatest: [2, 2, 2, 2]
% out: pair mirror, least: [2, 6, 10, 6]
% out: pair mirror, minus one: [6, 10, 14, 10]
% out: pair mirror, 2^30: [2, 6, 10, 6]
% out: pair mirror, greatest: [6, 10, 14, 10]
