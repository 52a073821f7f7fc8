% What a condition says of a variable ends where the variable changes, and holds on its own side only.
function [] = __kernel__ c_and_then(y : vec, x : vec, n : int, pos : int)
    i = n
    if i >= 0 && i < 5 && (i = i + 100000) > 0
        y[pos] = x[i]
    endif
endfunction
function [] = __kernel__ c_while(y : vec, x : vec, n : int, pos : int)
    i = n
    while i >= 0 && i < 5 && (i = i + 100000) > 0
        y[pos] = x[i]
        break
    endwhile
endfunction
function [] = __kernel__ c_inside_body(y : vec, x : vec, n : int, pos : int)
    i = n
    if i >= 0 && i < 5
        i = i + 100000
        y[pos] = x[i]
    endif
endfunction
function [] = __kernel__ c_in_a_loop(y : vec, x : vec, n : int, pos : int)
    i = n
    if i >= 0 && i < 5
        for j = 0..2
            y[pos] = y[pos] + x[i]
            i = i + 100000
        endfor
    endif
endfunction
function [] = __kernel__ c_other_branch(y : vec, x : vec, n : int, pos : int)
    i = n
    if i >= 0 && i < 5
        y[pos] = 1
    else
        y[pos] = x[i] + 2
    endif
endfunction
function [] = __kernel__ c_elseif(y : vec, x : vec, n : int, pos : int)
    i = n
    if i < 0
        y[pos] = 1
    elseif i < 5
        i = i * 65536
        y[pos] = x[i]
    else
        y[pos] = x[i]
    endif
endfunction
function [] = __kernel__ c_behind(y : vec, x : vec, n : int, pos : int)
    i = n
    if i > 4
        i = 4 - n
    endif
    y[pos] = x[i]
endfunction
function [] = __kernel__ c_compared_with(y : vec, x : vec, n : int, pos : int)
    i = n
    m = 5
    if i >= 0 && i < m
        m = 100000
        i = m + i
        y[pos] = x[i]
    endif
endfunction
function [] = __kernel__ c_not_less(y : vec, x : vec, n : int, pos : int)
    i = n
    if !(i < 0) && !(i > 4)
        y[pos] = x[i] + x[i + 1] + x[i - 1]
    endif
endfunction
function [] = __kernel__ c_either(y : vec, x : vec, n : int, pos : int)
    i = n
    if i < 0 || i > 4
        i = -i
    endif
    y[pos] = x[i]
endfunction
function [] = __kernel__ c_assert(y : vec, x : vec, n : int, pos : int)
    i = n
    assert(i < 5 || i > 9)
    y[pos] = x[i]
endfunction
function [] = __kernel__ c_ternary(y : vec, x : vec, n : int, pos : int)
    i = n
    j = i < 5 ? i : 4
    y[pos] = x[j]
endfunction
function [] = __kernel__ c_repeat(y : vec, x : vec, n : int, pos : int)
    i = n
    repeat
        i = i + 3
    until i > 4
    y[pos] = x[i]
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
attempt("and_then, inside", 2, c_and_then)
attempt("and_then, greatest", maxvalue(int), c_and_then)
attempt("and_then, least", minvalue(int), c_and_then)
attempt("while, inside", 2, c_while)
attempt("while, greatest", maxvalue(int), c_while)
attempt("while, least", minvalue(int), c_while)
attempt("inside_body, inside", 2, c_inside_body)
attempt("inside_body, greatest", maxvalue(int), c_inside_body)
attempt("inside_body, least", minvalue(int), c_inside_body)
attempt("in_a_loop, inside", 2, c_in_a_loop)
attempt("in_a_loop, greatest", maxvalue(int), c_in_a_loop)
attempt("in_a_loop, least", minvalue(int), c_in_a_loop)
attempt("other_branch, inside", 2, c_other_branch)
attempt("other_branch, greatest", maxvalue(int), c_other_branch)
attempt("other_branch, least", minvalue(int), c_other_branch)
attempt("elseif, inside", 2, c_elseif)
attempt("elseif, greatest", maxvalue(int), c_elseif)
attempt("elseif, least", minvalue(int), c_elseif)
attempt("behind, inside", 2, c_behind)
attempt("behind, greatest", maxvalue(int), c_behind)
attempt("behind, least", minvalue(int), c_behind)
attempt("compared_with, inside", 2, c_compared_with)
attempt("compared_with, greatest", maxvalue(int), c_compared_with)
attempt("compared_with, least", minvalue(int), c_compared_with)
attempt("not_less, inside", 2, c_not_less)
attempt("not_less, greatest", maxvalue(int), c_not_less)
attempt("not_less, least", minvalue(int), c_not_less)
attempt("either, inside", 2, c_either)
attempt("either, greatest", maxvalue(int), c_either)
attempt("either, least", minvalue(int), c_either)
attempt("assert, inside", 2, c_assert)
attempt("assert, greatest", maxvalue(int), c_assert)
attempt("assert, least", minvalue(int), c_assert)
attempt("ternary, inside", 2, c_ternary)
attempt("ternary, greatest", maxvalue(int), c_ternary)
attempt("ternary, least", minvalue(int), c_ternary)
attempt("repeat, inside", 2, c_repeat)
% out: and_then, inside: [0, 0, 0, 0]
% out: and_then, greatest: [0, 0, 0, 0]
% out: and_then, least: [0, 0, 0, 0]
% out: while, inside: [0, 0, 0, 0]
% out: while, greatest: [0, 0, 0, 0]
% out: while, least: [0, 0, 0, 0]
% out: inside_body, inside: [0, 0, 0, 0]
% out: inside_body, greatest: [0, 0, 0, 0]
% out: inside_body, least: [0, 0, 0, 0]
% out: in_a_loop, inside: [3, 3, 3, 3]
% out: in_a_loop, greatest: [0, 0, 0, 0]
% out: in_a_loop, least: [0, 0, 0, 0]
% out: other_branch, inside: [1, 1, 1, 1]
% out: other_branch, greatest: [2, 2, 2, 2]
% out: other_branch, least: [2, 2, 2, 2]
% out: elseif, inside: [0, 0, 0, 0]
% out: elseif, greatest: [0, 0, 0, 0]
% out: elseif, least: [1, 1, 1, 1]
% out: behind, inside: [3, 3, 3, 3]
% out: behind, greatest: [0, 0, 0, 0]
% out: behind, least: [0, 0, 0, 0]
% out: compared_with, inside: [0, 0, 0, 0]
% out: compared_with, greatest: [0, 0, 0, 0]
% out: compared_with, least: [0, 0, 0, 0]
% out: not_less, inside: [9, 9, 9, 9]
% out: not_less, greatest: [0, 0, 0, 0]
% out: not_less, least: [0, 0, 0, 0]
% out: either, inside: [3, 3, 3, 3]
% out: either, greatest: [0, 0, 0, 0]
% out: either, least: [0, 0, 0, 0]
% out: assert, inside: [3, 3, 3, 3]
% out: assert, greatest: [0, 0, 0, 0]
% out: assert, least: [0, 0, 0, 0]
% out: ternary, inside: [3, 3, 3, 3]
% out: ternary, greatest: [5, 5, 5, 5]
% out: ternary, least: [0, 0, 0, 0]
% out: repeat, inside: [0, 0, 0, 0]
