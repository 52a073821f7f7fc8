% ind2pos and pos2ind with lengths of 0 and less, and numbers far outside.
function [] = __kernel__ rows(y : vec, x : mat, a : int, b : int, i : int, pos : int)
    p = ind2pos([a, b], i + pos)
    y[pos] = x[p[0], p[1]]
endfunction
function [] = __kernel__ short(y : vec, x : vec, a : int, b : int, i : int, pos : int)
    m = min(b, 3)
    p = ind2pos([a, m], i + pos)
    y[pos] = x[p[1]]
endfunction
function [] = __kernel__ there(y : vec, x : mat, a : int, b : int, i : int, pos : int)
    y[pos] = x[pos2ind([a, b], [i, pos])]
endfunction
function [] = attempt(what, x, a, b, i, k)
    y = zeros(4)
    try
        parallel_do(4, y, x, a, b, i, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("rows 3 3 from 4", [[1,2,3],[4,5,6],[7,8,9]], 3, 3, 4, rows)
attempt("rows 3 0 from 4", [[1,2,3],[4,5,6],[7,8,9]], 3, 0, 4, rows)
attempt("rows 0 3 from 4", [[1,2,3],[4,5,6],[7,8,9]], 0, 3, 4, rows)
attempt("rows 3 -5 from 4", [[1,2,3],[4,5,6],[7,8,9]], 3, -5, 4, rows)
attempt("rows -2 3 from 1", [[1,2,3],[4,5,6],[7,8,9]], -2, 3, 1, rows)
attempt("rows 3 3 from -4", [[1,2,3],[4,5,6],[7,8,9]], 3, 3, -4, rows)
attempt("rows 3 minvalue(int) from 1", [[1,2,3],[4,5,6],[7,8,9]], 3, minvalue(int), 1, rows)
attempt("rows 3 3 from minvalue(int)", [[1,2,3],[4,5,6],[7,8,9]], 3, 3, minvalue(int), rows)
attempt("rows 3 maxvalue(int) from 1", [[1,2,3],[4,5,6],[7,8,9]], 3, maxvalue(int), 1, rows)
attempt("rows 0 0 from 0", [[1,2,3],[4,5,6],[7,8,9]], 0, 0, 0, rows)
attempt("short 3 from 4", [1,2,3], 4, 3, 4, short)
attempt("short 0 from 4", [1,2,3], 4, 0, 4, short)
attempt("short -90000 from 77777", [1,2,3], 4, -90000, 77777, short)
attempt("short minvalue(int) from 9", [1,2,3], 4, minvalue(int), 9, short)
attempt("short 2 from minvalue(int)", [1,2,3], 4, 2, minvalue(int), short)
attempt("short 3 from maxvalue(int)", [1,2,3], 4, 3, maxvalue(int), short)
attempt("there 3 3 row 1", [[1,2,3],[4,5,6],[7,8,9]], 3, 3, 1, there)
attempt("there 3 3 row -1", [[1,2,3],[4,5,6],[7,8,9]], 3, 3, -1, there)
attempt("there 3 65536 row 1", [[1,2,3],[4,5,6],[7,8,9]], 3, 65536, 1, there)
attempt("there 0 0 row 2", [[1,2,3],[4,5,6],[7,8,9]], 0, 0, 2, there)
% out: rows 3 3 from 4: [5, 6, 7, 8]
% out: rows 3 0 from 4: [0, 0, 0, 0]
% out: rows 0 3 from 4: [5, 6, 7, 8]
% out: rows 3 -5 from 4: [0, 0, 0, 0]
% out: rows -2 3 from 1: [2, 3, 4, 5]
% out: rows 3 3 from -4: [0, 0, 0, 0]
% out: rows 3 minvalue(int) from 1: [4, 7, 0, 0]
% out: rows 3 3 from minvalue(int): [0, 0, 0, 0]
% out: rows 3 maxvalue(int) from 1: [2, 3, 0, 0]
% out: rows 0 0 from 0: [1, 4, 7, 0]
% out: short 3 from 4: [2, 3, 1, 2]
% out: short 0 from 4: [1, 1, 1, 1]
% out: short -90000 from 77777: [1, 1, 1, 1]
% out: short minvalue(int) from 9: [1, 1, 1, 1]
% out: short 2 from minvalue(int): [1, 2, 1, 2]
% out: short 3 from maxvalue(int): [2, 2, 3, 1]
% out: there 3 3 row 1: [4, 5, 6, 7]
% out: there 3 3 row -1: [1, 1, 1, 1]
% out: there 3 65536 row 1: [0, 0, 0, 0]
% out: there 0 0 row 2: [1, 2, 3, 4]
