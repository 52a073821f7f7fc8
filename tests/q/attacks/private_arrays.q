% Arrays that an item has in registers, at indices that are known only while it runs.
function [] = __kernel__ p_read(y : vec, x : vec, n : int, pos : int)
    t = [1,2,3,4]
    y[pos] = t[n]
endfunction
function [] = __kernel__ p_write(y : vec, x : vec, n : int, pos : int)
    t = zeros(4)
    t[n] = 7
    y[pos] = sum(t)
endfunction
function [] = __kernel__ p_add(y : vec, x : vec, n : int, pos : int)
    t = zeros(4)
    t[n] += 7
    y[pos] = sum(t)
endfunction
function [] = __kernel__ p_matrix(y : vec, x : vec, n : int, pos : int)
    t = [[1,2],[3,4]]
    y[pos] = t[n, 1] + t[1, n]
endfunction
function [] = __kernel__ p_slice(y : vec, x : vec, n : int, pos : int)
    t = [1,2,3,4]
    y[pos] = sum(t[[n, n + 1]])
endfunction
function [] = __kernel__ p_vector(y : vec, x : vec, n : int, pos : int)
    t = [n, pos]
    y[pos] = x[t[0]] + x[t[n]]
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
attempt("read, inside", 1, p_read)
attempt("read, just outside", 4, p_read)
attempt("read, minus one", -1, p_read)
attempt("read, least", minvalue(int), p_read)
attempt("read, greatest", maxvalue(int), p_read)
attempt("write, inside", 1, p_write)
attempt("write, just outside", 4, p_write)
attempt("write, minus one", -1, p_write)
attempt("write, least", minvalue(int), p_write)
attempt("write, greatest", maxvalue(int), p_write)
attempt("add, inside", 1, p_add)
attempt("add, just outside", 4, p_add)
attempt("add, minus one", -1, p_add)
attempt("add, least", minvalue(int), p_add)
attempt("add, greatest", maxvalue(int), p_add)
attempt("matrix, inside", 1, p_matrix)
attempt("matrix, just outside", 4, p_matrix)
attempt("matrix, minus one", -1, p_matrix)
attempt("matrix, least", minvalue(int), p_matrix)
attempt("matrix, greatest", maxvalue(int), p_matrix)
attempt("slice, inside", 1, p_slice)
attempt("slice, just outside", 4, p_slice)
attempt("slice, minus one", -1, p_slice)
attempt("slice, least", minvalue(int), p_slice)
attempt("slice, greatest", maxvalue(int), p_slice)
attempt("vector, inside", 1, p_vector)
attempt("vector, just outside", 4, p_vector)
attempt("vector, minus one", -1, p_vector)
attempt("vector, least", minvalue(int), p_vector)
attempt("vector, greatest", maxvalue(int), p_vector)
% out: read, inside: [2, 2, 2, 2]
% out: read, just outside: [0, 0, 0, 0]
% out: read, minus one: [0, 0, 0, 0]
% out: read, least: [0, 0, 0, 0]
% out: read, greatest: [0, 0, 0, 0]
% out: write, inside: [7, 7, 7, 7]
% out: write, just outside: [0, 0, 0, 0]
% out: write, minus one: [0, 0, 0, 0]
% out: write, least: [0, 0, 0, 0]
% out: write, greatest: [0, 0, 0, 0]
% out: add, inside: [7, 7, 7, 7]
% out: add, just outside: [0, 0, 0, 0]
% out: add, minus one: [0, 0, 0, 0]
% out: add, least: [0, 0, 0, 0]
% out: add, greatest: [0, 0, 0, 0]
% out: matrix, inside: [8, 8, 8, 8]
% out: matrix, just outside: [0, 0, 0, 0]
% out: matrix, minus one: [0, 0, 0, 0]
% out: matrix, least: [0, 0, 0, 0]
% out: matrix, greatest: [0, 0, 0, 0]
% out: slice, inside: [5, 5, 5, 5]
% out: slice, just outside: [0, 0, 0, 0]
% out: slice, minus one: [1, 1, 1, 1]
% out: slice, least: [0, 0, 0, 0]
% out: slice, greatest: [0, 0, 0, 0]
% out: vector, inside: [3, 4, 5, 6]
% out: vector, just outside: [6, 6, 6, 6]
% out: vector, minus one: [1, 1, 1, 1]
% out: vector, least: [1, 1, 1, 1]
% out: vector, greatest: [1, 1, 1, 1]
