% Counted loops that end at the greatest or smallest integer, pass it with their next step, or change their bounds.
function [] = __kernel__ l_three(y : vec, x : vec, n : int, pos : int)
    c = 0
    for i = 0..3..n
        c += 1
        y[pos] = y[pos] + x[min(i, 4)]
        if i < 0 || c > 3
            break
        endif
    endfor
endfunction
function [] = __kernel__ l_last(y : vec, x : vec, n : int, pos : int)
    c = 0
    for i = n - 5..n
        c += 1
        y[pos] = y[pos] + x[min(max(i, 0), 4)]
        if c > 20
            break
        endif
    endfor
endfunction
function [] = __kernel__ l_steps(y : vec, x : vec, n : int, pos : int)
    c = 0
    for i = n - 5..3..n
        c += 1
        y[pos] = y[pos] + (i < 0 ? 100 : 1)
        if c > 20
            break
        endif
    endfor
endfunction
function [] = __kernel__ l_known(y : vec, x : vec, n : int, pos : int)
    c = 0
    for i = 2147483640..2147483647
        c += 1
        y[pos] = y[pos] + (i < 0 ? 100 : 1) + x[i]
    endfor
    y[0] = n
endfunction
function [] = __kernel__ l_huge_step(y : vec, x : vec, n : int, pos : int)
    c = 0
    for i = 0..2000000000..n
        c += 1
        y[pos] = y[pos] + x[min(i, 4)]
        if c > 9
            break
        endif
    endfor
endfunction
function [] = __kernel__ l_bound_changes(y : vec, x : vec, n : int, pos : int)
    c = 0
    m = n
    for i = 0..min(m, 9)
        m = 100000
        y[pos] = y[pos] + x[i]
    endfor
endfunction
function [] = __kernel__ l_variable_step(y : vec, x : vec, n : int, pos : int)
    c = 0
    for i = 0..max(n, 1)..10
        c += 1
        y[pos] = y[pos] + x[i]
    endfor
endfunction
function [] = __kernel__ l_down(y : vec, x : vec, n : int, pos : int)
    c = 0
    for i = n + 5..-1..n
        c += 1
        y[pos] = y[pos] + x[max(min(i, 4), 0)]
        if c > 20
            break
        endif
    endfor
endfunction
function [] = __kernel__ l_down_steps(y : vec, x : vec, n : int, pos : int)
    c = 0
    for i = 4..-3..n
        c += 1
        y[pos] = y[pos] + x[max(i, 0)]
        if i > 4 || c > 5
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
attempt("three, inside", 4, l_three)
attempt("three, greatest", maxvalue(int), l_three)
attempt("three, nearly the greatest", maxvalue(int) - 1, l_three)
attempt("three, minus one", -1, l_three)
attempt("last, inside", 4, l_last)
attempt("last, greatest", maxvalue(int), l_last)
attempt("last, nearly the greatest", maxvalue(int) - 1, l_last)
attempt("last, minus one", -1, l_last)
attempt("steps, inside", 4, l_steps)
attempt("steps, greatest", maxvalue(int), l_steps)
attempt("steps, nearly the greatest", maxvalue(int) - 1, l_steps)
attempt("steps, minus one", -1, l_steps)
attempt("known, inside", 4, l_known)
attempt("known, greatest", maxvalue(int), l_known)
attempt("known, nearly the greatest", maxvalue(int) - 1, l_known)
attempt("known, minus one", -1, l_known)
attempt("huge_step, inside", 4, l_huge_step)
attempt("huge_step, greatest", maxvalue(int), l_huge_step)
attempt("huge_step, nearly the greatest", maxvalue(int) - 1, l_huge_step)
attempt("huge_step, minus one", -1, l_huge_step)
attempt("bound_changes, inside", 4, l_bound_changes)
attempt("bound_changes, greatest", maxvalue(int), l_bound_changes)
attempt("bound_changes, nearly the greatest", maxvalue(int) - 1, l_bound_changes)
attempt("bound_changes, minus one", -1, l_bound_changes)
attempt("variable_step, inside", 4, l_variable_step)
attempt("variable_step, greatest", maxvalue(int), l_variable_step)
attempt("variable_step, nearly the greatest", maxvalue(int) - 1, l_variable_step)
attempt("variable_step, minus one", -1, l_variable_step)
attempt("down, inside", 1, l_down)
attempt("down, least", minvalue(int), l_down)
attempt("down, nearly the least", minvalue(int) + 1, l_down)
attempt("down_steps, inside", 1, l_down_steps)
attempt("down_steps, least", minvalue(int), l_down_steps)
attempt("down_steps, nearly the least", minvalue(int) + 1, l_down_steps)
% out: three, inside: [5, 5, 5, 5]
% out: three, greatest: [15, 15, 15, 15]
% out: three, nearly the greatest: [15, 15, 15, 15]
% out: three, minus one: [0, 0, 0, 0]
% out: last, inside: [16, 16, 16, 16]
% out: last, greatest: [30, 30, 30, 30]
% out: last, nearly the greatest: [30, 30, 30, 30]
% out: last, minus one: [6, 6, 6, 6]
% out: steps, inside: [101, 101, 101, 101]
% out: steps, greatest: [2, 2, 2, 2]
% out: steps, nearly the greatest: [2, 2, 2, 2]
% out: steps, minus one: [200, 200, 200, 200]
% out: known, inside: [4, 8, 8, 8]
% out: known, greatest: [2147483648, 8, 8, 8]
% out: known, nearly the greatest: [2147483648, 8, 8, 8]
% out: known, minus one: [-1, 8, 8, 8]
% out: huge_step, inside: [1, 1, 1, 1]
% out: huge_step, greatest: [6, 6, 6, 6]
% out: huge_step, nearly the greatest: [6, 6, 6, 6]
% out: huge_step, minus one: [0, 0, 0, 0]
% out: bound_changes, inside: [15, 15, 15, 15]
% out: bound_changes, greatest: [15, 15, 15, 15]
% out: bound_changes, nearly the greatest: [15, 15, 15, 15]
% out: bound_changes, minus one: [0, 0, 0, 0]
% out: variable_step, inside: [6, 6, 6, 6]
% out: variable_step, greatest: [1, 1, 1, 1]
% out: variable_step, nearly the greatest: [1, 1, 1, 1]
% out: variable_step, minus one: [15, 15, 15, 15]
% out: down, inside: [24, 24, 24, 24]
% out: down, least: [6, 6, 6, 6]
% out: down, nearly the least: [6, 6, 6, 6]
% out: down_steps, inside: [7, 7, 7, 7]
% out: down_steps, least: [11, 11, 11, 11]
% out: down_steps, nearly the least: [11, 11, 11, 11]
