% periodize, mirror_ext and clamp with lengths that are none, and positions at the ends of the integers.
function [] = __kernel__ p_int(y : vec, x : int, n : int, pos : int)
    y[0] = periodize(x, n)
    y[1] = mirror_ext(x, n)
endfunction
function [] = __kernel__ p_float(y : vec, x : scalar, n : int, pos : int)
    y[0] = periodize(x, n)
    y[1] = mirror_ext(x, n)
endfunction
function [] = __kernel__ p_clamp(y : vec, x : int, n : int, pos : int)
    y[0] = clamp(x, n)
    y[1] = clamp(-x, n)
endfunction
function [] = __kernel__ p_used(y : vec, x : int, n : int, pos : int)
    y[1] = y[periodize(x, n)] + y[mirror_ext(x, n)] + 1
endfunction
function [] = attempt(what, x, n, k)
    y = zeros(3)
    try
        parallel_do(1, y, x, n, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("7 in 0", 7, 0, p_int)
attempt("-8 in 0", -8, 0, p_int)
attempt("minvalue(int) in 0", minvalue(int), 0, p_int)
attempt("maxvalue(int) in 0", maxvalue(int), 0, p_int)
attempt("7 in -1", 7, -1, p_int)
attempt("-8 in -1", -8, -1, p_int)
attempt("minvalue(int) in -1", minvalue(int), -1, p_int)
attempt("maxvalue(int) in -1", maxvalue(int), -1, p_int)
attempt("7 in 1", 7, 1, p_int)
attempt("-8 in 1", -8, 1, p_int)
attempt("minvalue(int) in 1", minvalue(int), 1, p_int)
attempt("maxvalue(int) in 1", maxvalue(int), 1, p_int)
attempt("7 in 5", 7, 5, p_int)
attempt("-8 in 5", -8, 5, p_int)
attempt("minvalue(int) in 5", minvalue(int), 5, p_int)
attempt("maxvalue(int) in 5", maxvalue(int), 5, p_int)
attempt("7 in minvalue(int)", 7, minvalue(int), p_int)
attempt("-8 in minvalue(int)", -8, minvalue(int), p_int)
attempt("minvalue(int) in minvalue(int)", minvalue(int), minvalue(int), p_int)
attempt("maxvalue(int) in minvalue(int)", maxvalue(int), minvalue(int), p_int)
attempt("7 in maxvalue(int)", 7, maxvalue(int), p_int)
attempt("used, -8 in 0", -8, 0, p_used)
attempt("used, 7 in 0", 7, 0, p_used)
attempt("used, minvalue(int) in 0", minvalue(int), 0, p_used)
attempt("used, -8 in 3", -8, 3, p_used)
attempt("used, 7 in 3", 7, 3, p_used)
attempt("used, minvalue(int) in 3", minvalue(int), 3, p_used)
attempt("float, 3e9 in 0", 3e9, 0, p_float)
attempt("float, -3e9 in 0", -3e9, 0, p_float)
attempt("float, 0.0/0.0 in 0", 0.0/0.0, 0, p_float)
attempt("float, -7.5 in 0", -7.5, 0, p_float)
attempt("float, 3e9 in 5", 3e9, 5, p_float)
attempt("float, -3e9 in 5", -3e9, 5, p_float)
attempt("float, 0.0/0.0 in 5", 0.0/0.0, 5, p_float)
attempt("float, -7.5 in 5", -7.5, 5, p_float)
attempt("clamp 7 to 0", 7, 0, p_clamp)
attempt("clamp 7 to -3", 7, -3, p_clamp)
attempt("clamp 7 to 5", 7, 5, p_clamp)
% out: 7 in 0: 'periodize' needs a length of at least 1, not 0
% out: -8 in 0: 'periodize' needs a length of at least 1, not 0
% out: minvalue(int) in 0: 'periodize' needs a length of at least 1, not 0
% out: maxvalue(int) in 0: 'periodize' needs a length of at least 1, not 0
% out: 7 in -1: 'periodize' needs a length of at least 1, not -1
% out: -8 in -1: 'periodize' needs a length of at least 1, not -1
% out: minvalue(int) in -1: 'periodize' needs a length of at least 1, not -1
% out: maxvalue(int) in -1: 'periodize' needs a length of at least 1, not -1
% out: 7 in 1: [0, 0, 0]
% out: -8 in 1: [0, 0, 0]
% out: minvalue(int) in 1: [0, 0, 0]
% out: maxvalue(int) in 1: [0, 0, 0]
% out: 7 in 5: [2, 1, 0]
% out: -8 in 5: [2, 0, 0]
% out: minvalue(int) in 5: [2, 0, 0]
% out: maxvalue(int) in 5: [2, 1, 0]
% out: 7 in minvalue(int): 'periodize' needs a length of at least 1, not -2147483648
% out: -8 in minvalue(int): 'periodize' needs a length of at least 1, not -2147483648
% out: minvalue(int) in minvalue(int): 'periodize' needs a length of at least 1, not -2147483648
% out: maxvalue(int) in minvalue(int): 'periodize' needs a length of at least 1, not -2147483648
% out: 7 in maxvalue(int): [7, 7, 0]
% out: used, -8 in 0: 'periodize' needs a length of at least 1, not 0
% out: used, 7 in 0: 'periodize' needs a length of at least 1, not 0
% out: used, minvalue(int) in 0: 'periodize' needs a length of at least 1, not 0
% out: used, -8 in 3: [0, 1, 0]
% out: used, 7 in 3: [0, 1, 0]
% out: used, minvalue(int) in 3: [0, 1, 0]
% out: float, 3e9 in 0: 'periodize' needs a length of at least 1, not 0
% out: float, -3e9 in 0: 'periodize' needs a length of at least 1, not 0
% out: float, 0.0/0.0 in 0: 'periodize' needs a length of at least 1, not 0
% out: float, -7.5 in 0: 'periodize' needs a length of at least 1, not 0
% out: float, 3e9 in 5: [0, 0, 0]
% out: float, -3e9 in 5: [0, 0, 0]
% out: float, 0.0/0.0 in 5: [0, 0, 0]
% out: float, -7.5 in 5: [3, 1, 0]
% out: clamp 7 to 0: [0, 0, 0]
% out: clamp 7 to -3: [0, 0, 0]
% out: clamp 7 to 5: [5, 0, 0]
