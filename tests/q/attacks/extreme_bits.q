% Indices made of the smallest and greatest integers: differences, remainders, shifts.
function [] = __kernel__ k_one_less(y : vec, x : vec, n : int, pos : int)
    i = min(n, 4) - 1
    y[pos] = x[max(i, 0)]
endfunction
function [] = __kernel__ k_distance(y : vec, x : vec, n : int, pos : int)
    i = max(n, 0) - min(n, 0)
    y[pos] = x[min(i, 4)]
endfunction
function [] = __kernel__ k_remainder(y : vec, x : vec, n : int, pos : int)
    y[pos] = x[mod(n, 5)]
endfunction
function [] = __kernel__ k_shifted(y : vec, x : vec, n : int, pos : int)
    y[pos] = x[min(shl(max(n, 0), 3), 4)]
endfunction
function [] = __kernel__ k_shifted_down(y : vec, x : vec, n : int, pos : int)
    y[pos] = x[min(shr(n, 30), 4)]
endfunction
function [] = __kernel__ k_bits(y : vec, x : vec, n : int, pos : int)
    y[pos] = x[and(n, 7)]
endfunction
function [] = __kernel__ k_ends(y : vec, x : vec, n : int, pos : int)
    y[pos] = x[min(n + pos, 4)] + x[max(n - pos, 0)]
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
attempt("one_less, least", minvalue(int), k_one_less)
attempt("one_less, least and one", minvalue(int)+1, k_one_less)
attempt("one_less, inside", 3, k_one_less)
attempt("one_less, 2^30", 1073741824, k_one_less)
attempt("one_less, greatest", maxvalue(int), k_one_less)
attempt("distance, least", minvalue(int), k_distance)
attempt("distance, least and one", minvalue(int)+1, k_distance)
attempt("distance, inside", 3, k_distance)
attempt("distance, 2^30", 1073741824, k_distance)
attempt("distance, greatest", maxvalue(int), k_distance)
attempt("remainder, least", minvalue(int), k_remainder)
attempt("remainder, least and one", minvalue(int)+1, k_remainder)
attempt("remainder, inside", 3, k_remainder)
attempt("remainder, 2^30", 1073741824, k_remainder)
attempt("remainder, greatest", maxvalue(int), k_remainder)
attempt("shifted, least", minvalue(int), k_shifted)
attempt("shifted, least and one", minvalue(int)+1, k_shifted)
attempt("shifted, inside", 3, k_shifted)
attempt("shifted, 2^30", 1073741824, k_shifted)
attempt("shifted, greatest", maxvalue(int), k_shifted)
attempt("shifted_down, least", minvalue(int), k_shifted_down)
attempt("shifted_down, least and one", minvalue(int)+1, k_shifted_down)
attempt("shifted_down, inside", 3, k_shifted_down)
attempt("shifted_down, 2^30", 1073741824, k_shifted_down)
attempt("shifted_down, greatest", maxvalue(int), k_shifted_down)
attempt("bits, least", minvalue(int), k_bits)
attempt("bits, least and one", minvalue(int)+1, k_bits)
attempt("bits, inside", 3, k_bits)
attempt("bits, 2^30", 1073741824, k_bits)
attempt("bits, greatest", maxvalue(int), k_bits)
attempt("ends, least", minvalue(int), k_ends)
attempt("ends, least and one", minvalue(int)+1, k_ends)
attempt("ends, inside", 3, k_ends)
attempt("ends, 2^30", 1073741824, k_ends)
attempt("ends, greatest", maxvalue(int), k_ends)
% out: one_less, least: [0, 0, 0, 0]
% out: one_less, least and one: [1, 1, 1, 1]
% out: one_less, inside: [3, 3, 3, 3]
% out: one_less, 2^30: [4, 4, 4, 4]
% out: one_less, greatest: [4, 4, 4, 4]
% out: distance, least: [0, 0, 0, 0]
% out: distance, least and one: [5, 5, 5, 5]
% out: distance, inside: [4, 4, 4, 4]
% out: distance, 2^30: [5, 5, 5, 5]
% out: distance, greatest: [5, 5, 5, 5]
% out: remainder, least: [3, 3, 3, 3]
% out: remainder, least and one: [4, 4, 4, 4]
% out: remainder, inside: [4, 4, 4, 4]
% out: remainder, 2^30: [5, 5, 5, 5]
% out: remainder, greatest: [3, 3, 3, 3]
% out: shifted, least: [1, 1, 1, 1]
% out: shifted, least and one: [1, 1, 1, 1]
% out: shifted, inside: [5, 5, 5, 5]
% out: shifted, 2^30: [1, 1, 1, 1]
% out: shifted, greatest: [0, 0, 0, 0]
% out: shifted_down, least: [0, 0, 0, 0]
% out: shifted_down, least and one: [0, 0, 0, 0]
% out: shifted_down, inside: [1, 1, 1, 1]
% out: shifted_down, 2^30: [2, 2, 2, 2]
% out: shifted_down, greatest: [2, 2, 2, 2]
% out: bits, least: [1, 1, 1, 1]
% out: bits, least and one: [2, 2, 2, 2]
% out: bits, inside: [4, 4, 4, 4]
% out: bits, 2^30: [1, 1, 1, 1]
% out: bits, greatest: [0, 0, 0, 0]
% out: ends, least: [1, 0, 0, 0]
% out: ends, least and one: [1, 1, 0, 0]
% out: ends, inside: [8, 8, 7, 6]
% out: ends, 2^30: [5, 5, 5, 5]
% out: ends, greatest: [5, 0, 0, 0]
