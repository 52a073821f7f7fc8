% One array under several names with different access modes and ranks.
function [] = __kernel__ shift(a : vec'clamped, b : vec'mirror, c : vec, n : int, pos : int)
    c[pos + n] = a[pos - n] + b[pos + n]
endfunction
function [] = __kernel__ turn(a : vec, b : mat, n : int, pos : int)
    a[n + pos] = b[0, n + pos] + 1
endfunction
function [] = attempt(what, n)
    x = [1,2,3,4]
    try
        parallel_do(1, x, x, x, n, shift)
        print what, ": ", x
    catch ex
        print what, ": ", ex.message
    endtry
    x = [1,2,3,4]
    try
        parallel_do(1, x, x, n, turn)
        print what, ", as a matrix: ", x
    catch ex
        print what, ", as a matrix: ", ex.message
    endtry
endfunction
attempt("inside", 2)
attempt("just outside", 4)
attempt("minus one", -1)
attempt("2^30", 1073741824)
attempt("least", minvalue(int))
% out: inside: [1, 2, 4, 4]
% out: inside, as a matrix: [1, 2, 4, 4]
% out: just outside: [1, 2, 3, 4]
% out: just outside, as a matrix: [1, 2, 3, 4]
% out: minus one: [1, 2, 3, 4]
% out: minus one, as a matrix: [1, 2, 3, 4]
% out: 2^30: [1, 2, 3, 4]
% out: 2^30, as a matrix: [1, 2, 3, 4]
% out: least: [1, 2, 3, 4]
% out: least, as a matrix: [1, 2, 3, 4]
