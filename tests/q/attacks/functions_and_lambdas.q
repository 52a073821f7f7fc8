% Access modes, assertions and bounds of a function's own parameters do not reach into others, nor do those of a name that means something else.
function v = __device__ at(x : vec'clamped, i : int)
    v = x[i]
endfunction
function v = __device__ plain(x : vec, i : int)
    v = x[i]
endfunction
function v = __device__ bounded(x : vec, i : int)
    assert(i < 5)
    v = x[max(i, 0)]
endfunction
function [] = __kernel__ f_clamped_inside(y : vec, x : vec, n : int, pos : int)
    y[pos] = at(x, n)
endfunction
function [] = __kernel__ f_safe_inside(y : vec, x : vec, n : int, pos : int)
    y[pos] = plain(x, n)
endfunction
function [] = __kernel__ f_assert_elsewhere(y : vec, x : vec, n : int, pos : int)
    if n < 5
        y[pos] = bounded(x, n)
    endif
    y[pos] = y[pos] + x[n]
endfunction
function [] = __kernel__ f_lambda(y : vec, x : vec, n : int, pos : int)
    m = max(n, 0)
    f = i -> x[min(m, 4) + i]
    m = 100000
    y[pos] = f(0) + f(m)
endfunction
function [] = __kernel__ f_lambda_of_lambda(y : vec, x : vec, n : int, pos : int)
    f = i -> (j -> x[i + j])
    g = f(n)
    y[pos] = g(n) + g(0)
endfunction
function [] = __kernel__ f_same_name(y : vec, x : vec, n : int, pos : int)
    i = 2
    f = i -> x[i]
    y[pos] = f(n) + x[i]
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
attempt("clamped_inside, inside", 2, f_clamped_inside)
attempt("clamped_inside, least", minvalue(int), f_clamped_inside)
attempt("clamped_inside, greatest", maxvalue(int), f_clamped_inside)
attempt("clamped_inside, just outside", 5, f_clamped_inside)
attempt("safe_inside, inside", 2, f_safe_inside)
attempt("safe_inside, least", minvalue(int), f_safe_inside)
attempt("safe_inside, greatest", maxvalue(int), f_safe_inside)
attempt("safe_inside, just outside", 5, f_safe_inside)
attempt("assert_elsewhere, inside", 2, f_assert_elsewhere)
attempt("assert_elsewhere, least", minvalue(int), f_assert_elsewhere)
attempt("assert_elsewhere, greatest", maxvalue(int), f_assert_elsewhere)
attempt("assert_elsewhere, just outside", 5, f_assert_elsewhere)
attempt("lambda, inside", 2, f_lambda)
attempt("lambda, least", minvalue(int), f_lambda)
attempt("lambda, greatest", maxvalue(int), f_lambda)
attempt("lambda, just outside", 5, f_lambda)
attempt("lambda_of_lambda, inside", 2, f_lambda_of_lambda)
attempt("lambda_of_lambda, least", minvalue(int), f_lambda_of_lambda)
attempt("lambda_of_lambda, greatest", maxvalue(int), f_lambda_of_lambda)
attempt("lambda_of_lambda, just outside", 5, f_lambda_of_lambda)
attempt("same_name, inside", 2, f_same_name)
attempt("same_name, least", minvalue(int), f_same_name)
attempt("same_name, greatest", maxvalue(int), f_same_name)
attempt("same_name, just outside", 5, f_same_name)
m = maxvalue(int)
far = [1,2,3,4,5]
captured = i -> far[max(m - 16777216, 0)]
small = i -> far[min(max(m - 2147483645, 0), 4)]
y = zeros(1000)
try
    for i = 0..999
        y[i] = captured(i)
    endfor
    print "captured: ", y[0]
catch ex
    print "captured: ", ex.message
endtry
for i = 0..999
    y[i] = small(i)
endfor
print "captured, inside: ", sum(y)
none = zeros(0)
gone = i -> none[i]
try
    for i = 0..999
        y[i] = gone(i)
    endfor
    print "captured, empty: ", y[0]
catch ex
    print "captured, empty: ", ex.message
endtry
% out: clamped_inside, inside: [3, 3, 3, 3]
% out: clamped_inside, least: [1, 1, 1, 1]
% out: clamped_inside, greatest: [5, 5, 5, 5]
% out: clamped_inside, just outside: [5, 5, 5, 5]
% out: safe_inside, inside: [3, 3, 3, 3]
% out: safe_inside, least: [0, 0, 0, 0]
% out: safe_inside, greatest: [0, 0, 0, 0]
% out: safe_inside, just outside: [0, 0, 0, 0]
% out: assert_elsewhere, inside: [6, 6, 6, 6]
% out: assert_elsewhere, least: [1, 1, 1, 1]
% out: assert_elsewhere, greatest: [0, 0, 0, 0]
% out: assert_elsewhere, just outside: [0, 0, 0, 0]
% out: lambda, inside: index 100002 is out of bounds (0..4) in 'x'
% out: lambda, least: index 100000 is out of bounds (0..4) in 'x'
% out: lambda, greatest: index 100004 is out of bounds (0..4) in 'x'
% out: lambda, just outside: index 100004 is out of bounds (0..4) in 'x'
% out: lambda_of_lambda, inside: [8, 8, 8, 8]
% out: lambda_of_lambda, least: integer overflow in -2147483648 + -2147483648
% out: lambda_of_lambda, greatest: integer overflow in 2147483647 + 2147483647
% out: lambda_of_lambda, just outside: index 10 is out of bounds (0..4) in 'x'
% out: same_name, inside: [6, 6, 6, 6]
% out: same_name, least: index -2147483648 is out of bounds (0..4) in 'x'
% out: same_name, greatest: index 2147483647 is out of bounds (0..4) in 'x'
% out: same_name, just outside: index 5 is out of bounds (0..4) in 'x'
% out: captured: index 2130706431 is out of bounds (0..4) in 'far'
% out: captured, inside: 3000
% out: captured, empty: index 0 is out of bounds in 'none', which is empty
