% Elements of shared arrays outside of them.
function [] = __kernel__ x_read(y : vec, n : int, pos : int, blkpos : int)
    s = shared(4)
    s[blkpos] = 1 + blkpos
    syncthreads
    y[pos] = s[n]
endfunction
function [] = __kernel__ x_write(y : vec, n : int, pos : int, blkpos : int)
    s = shared(4)
    s[blkpos] = 1
    syncthreads
    s[n] = 9
    syncthreads
    y[pos] = s[blkpos]
endfunction
function [] = __kernel__ x_matrix(y : vec, n : int, pos : int, blkpos : int)
    s = shared(2, 2)
    s[mod(blkpos, 2), 1] = 3
    syncthreads
    y[pos] = s[n, 1] + s[1, n]
endfunction
function [] = __kernel__ x_add(y : vec, n : int, pos : int, blkpos : int)
    s = shared_zeros(4)
    syncthreads
    s[n] += 1
    syncthreads
    y[pos] = s[0] + s[3]
endfunction
function [] = __kernel__ x_turned(y : vec, n : int, pos : int, blkpos : int)
    s = shared(4)
    s[3 - blkpos] = blkpos
    syncthreads
    y[pos] = s[blkpos - n] + s[blkpos + n]
endfunction
function [] = attempt(what, n, k)
    y = zeros(4)
    try
        parallel_do(4, y, n, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("read, inside", 1, x_read)
attempt("read, just outside", 4, x_read)
attempt("read, minus one", -1, x_read)
attempt("read, least", minvalue(int), x_read)
attempt("read, greatest", maxvalue(int), x_read)
attempt("write, inside", 1, x_write)
attempt("write, just outside", 4, x_write)
attempt("write, minus one", -1, x_write)
attempt("write, least", minvalue(int), x_write)
attempt("write, greatest", maxvalue(int), x_write)
attempt("matrix, inside", 1, x_matrix)
attempt("matrix, just outside", 4, x_matrix)
attempt("matrix, minus one", -1, x_matrix)
attempt("matrix, least", minvalue(int), x_matrix)
attempt("matrix, greatest", maxvalue(int), x_matrix)
attempt("add, inside", 1, x_add)
attempt("add, just outside", 4, x_add)
attempt("add, minus one", -1, x_add)
attempt("add, least", minvalue(int), x_add)
attempt("add, greatest", maxvalue(int), x_add)
attempt("turned, inside", 1, x_turned)
attempt("turned, just outside", 4, x_turned)
attempt("turned, minus one", -1, x_turned)
attempt("turned, least", minvalue(int), x_turned)
attempt("turned, greatest", maxvalue(int), x_turned)
% out: read, inside: [2, 2, 2, 2]
% out: read, just outside: [0, 0, 0, 0]
% out: read, minus one: [0, 0, 0, 0]
% out: read, least: [0, 0, 0, 0]
% out: read, greatest: [0, 0, 0, 0]
% out: write, inside: [1, 9, 1, 1]
% out: write, just outside: [1, 1, 1, 1]
% out: write, minus one: [1, 1, 1, 1]
% out: write, least: [1, 1, 1, 1]
% out: write, greatest: [1, 1, 1, 1]
% out: matrix, inside: [6, 6, 6, 6]
% out: matrix, just outside: [0, 0, 0, 0]
% out: matrix, minus one: [0, 0, 0, 0]
% out: matrix, least: [0, 0, 0, 0]
% out: matrix, greatest: [0, 0, 0, 0]
% out: add, inside: [0, 0, 0, 0]
% out: add, just outside: [0, 0, 0, 0]
% out: add, minus one: [0, 0, 0, 0]
% out: add, least: [0, 0, 0, 0]
% out: add, greatest: [0, 0, 0, 0]
% out: turned, inside: [2, 4, 2, 1]
% out: turned, just outside: [0, 0, 0, 0]
% out: turned, minus one: [2, 4, 2, 1]
% out: turned, least: [0, 0, 0, 0]
% out: turned, greatest: [0, 0, 0, 0]
