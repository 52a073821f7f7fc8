% Indices made of the smallest and greatest integers: sums that wrap, numbers without an opposite.
function [] = __kernel__ k_negated(y : vec, x : vec, n : int, pos : int)
    i = max(min(n, 0), n)
    j = -min(n, 0)
    y[pos] = x[min(j, 4)]
endfunction
function [] = __kernel__ k_negated_twice(y : vec, x : vec, n : int, pos : int)
    j = min(n, 3)
    i = max(-j, 0)
    y[pos] = x[min(-(-i), 4)]
endfunction
function [] = __kernel__ k_size_of(y : vec, x : vec, n : int, pos : int)
    y[pos] = x[min(max(abs(n), 0), 4)]
endfunction
function [] = __kernel__ k_size_only(y : vec, x : vec, n : int, pos : int)
    i = abs(n)
    y[pos] = x[and(i, 3)]
endfunction
function [] = __kernel__ k_doubled(y : vec, x : vec, n : int, pos : int)
    i = max(n, 0) * 2
    y[pos] = x[min(i, 4)]
endfunction
function [] = __kernel__ k_squared(y : vec, x : vec, n : int, pos : int)
    y[pos] = x[min(n * n, 4)]
endfunction
function [] = __kernel__ k_one_more(y : vec, x : vec, n : int, pos : int)
    i = max(n, 0) + 1
    y[pos] = x[min(i, 4)]
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
attempt("negated, least", minvalue(int), k_negated)
attempt("negated, least and one", minvalue(int)+1, k_negated)
attempt("negated, inside", 3, k_negated)
attempt("negated, 2^30", 1073741824, k_negated)
attempt("negated, greatest", maxvalue(int), k_negated)
attempt("negated_twice, least", minvalue(int), k_negated_twice)
attempt("negated_twice, least and one", minvalue(int)+1, k_negated_twice)
attempt("negated_twice, inside", 3, k_negated_twice)
attempt("negated_twice, 2^30", 1073741824, k_negated_twice)
attempt("negated_twice, greatest", maxvalue(int), k_negated_twice)
attempt("size_of, least", minvalue(int), k_size_of)
attempt("size_of, least and one", minvalue(int)+1, k_size_of)
attempt("size_of, inside", 3, k_size_of)
attempt("size_of, 2^30", 1073741824, k_size_of)
attempt("size_of, greatest", maxvalue(int), k_size_of)
attempt("size_only, least", minvalue(int), k_size_only)
attempt("size_only, least and one", minvalue(int)+1, k_size_only)
attempt("size_only, inside", 3, k_size_only)
attempt("size_only, 2^30", 1073741824, k_size_only)
attempt("size_only, greatest", maxvalue(int), k_size_only)
attempt("doubled, least", minvalue(int), k_doubled)
attempt("doubled, least and one", minvalue(int)+1, k_doubled)
attempt("doubled, inside", 3, k_doubled)
attempt("doubled, 2^30", 1073741824, k_doubled)
attempt("doubled, greatest", maxvalue(int), k_doubled)
attempt("squared, least", minvalue(int), k_squared)
attempt("squared, least and one", minvalue(int)+1, k_squared)
attempt("squared, inside", 3, k_squared)
attempt("squared, 2^30", 1073741824, k_squared)
attempt("squared, greatest", maxvalue(int), k_squared)
attempt("one_more, least", minvalue(int), k_one_more)
attempt("one_more, least and one", minvalue(int)+1, k_one_more)
attempt("one_more, inside", 3, k_one_more)
attempt("one_more, 2^30", 1073741824, k_one_more)
attempt("one_more, greatest", maxvalue(int), k_one_more)
% out: negated, least: [0, 0, 0, 0]
% out: negated, least and one: [5, 5, 5, 5]
% out: negated, inside: [1, 1, 1, 1]
% out: negated, 2^30: [1, 1, 1, 1]
% out: negated, greatest: [1, 1, 1, 1]
% out: negated_twice, least: [1, 1, 1, 1]
% out: negated_twice, least and one: [5, 5, 5, 5]
% out: negated_twice, inside: [1, 1, 1, 1]
% out: negated_twice, 2^30: [1, 1, 1, 1]
% out: negated_twice, greatest: [1, 1, 1, 1]
% out: size_of, least: [1, 1, 1, 1]
% out: size_of, least and one: [5, 5, 5, 5]
% out: size_of, inside: [4, 4, 4, 4]
% out: size_of, 2^30: [5, 5, 5, 5]
% out: size_of, greatest: [5, 5, 5, 5]
% out: size_only, least: [1, 1, 1, 1]
% out: size_only, least and one: [4, 4, 4, 4]
% out: size_only, inside: [4, 4, 4, 4]
% out: size_only, 2^30: [1, 1, 1, 1]
% out: size_only, greatest: [4, 4, 4, 4]
% out: doubled, least: [1, 1, 1, 1]
% out: doubled, least and one: [1, 1, 1, 1]
% out: doubled, inside: [5, 5, 5, 5]
% out: doubled, 2^30: [0, 0, 0, 0]
% out: doubled, greatest: [0, 0, 0, 0]
% out: squared, least: [1, 1, 1, 1]
% out: squared, least and one: [2, 2, 2, 2]
% out: squared, inside: [5, 5, 5, 5]
% out: squared, 2^30: [1, 1, 1, 1]
% out: squared, greatest: [2, 2, 2, 2]
% out: one_more, least: [2, 2, 2, 2]
% out: one_more, least and one: [2, 2, 2, 2]
% out: one_more, inside: [5, 5, 5, 5]
% out: one_more, 2^30: [5, 5, 5, 5]
% out: one_more, greatest: [0, 0, 0, 0]
