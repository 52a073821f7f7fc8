% Loops that reach arrays through nested functions, functions of devices, lambdas and several results.
function y = at(v, i)
    y = v[i]
endfunction
function [] = put(v, i, x)
    v[i] = x
endfunction
function y = __device__ near(v : vec, i : int, n : int)
    y = v[i - n] + v[i + n]
endfunction
function y = __device__ clamped(v : vec'clamped, i : int)
    y = v[i * i]
endfunction
function [a, b] = two(v, i)
    a = v[i]
    b = v[numel(v) - i]
endfunction
function [] = through_function(x, y, n)
    for i = 0..7
        y[i] = at(x, i * n)
    endfor
endfunction
function [] = through_put(x, y, n)
    for i = 0..7
        put(y, i + n, x[i])
    endfor
endfunction
function [] = through_device(x, y, n)
    for i = 0..7
        y[i] = near(x, i, n)
    endfor
endfunction
function [] = through_clamped(x, y, n)
    for i = 0..7
        y[i] = clamped(x, i + n)
    endfor
endfunction
function [] = through_nested(x, y, n)
    function z = inner(k)
        z = x[k + n] * 2
    endfunction
    for i = 0..7
        y[i] = inner(i)
    endfor
endfunction
function [] = through_two(x, y, n)
    for i = 1..7
        [a, b] = two(x, i + n)
        y[i] = a - b
    endfor
endfunction
function [] = through_lambda(x, y, n)
    f = (i) -> x[i * n]
    for i = 0..7
        y[i] = f(i)
    endfor
endfunction
function [] = through_chain(x, y, n)
    for i = 0..7
        y[x[i + n]] = x[x[i]]
    endfor
endfunction
function [] = in_condition(x, y, n)
    for i = 0..7
        if i < 7 && x[i + n] > 2 || x[7 - i - n] > 100
            y[i] = 1
        endif
    endfor
endfunction
function [] = behind_break(x, y, n)
    for i = 0..7
        if x[i] == n
            break
        endif
        y[i + 1] = x[i]
    endfor
endfunction
function [] = of_ends(x, y, n)
    for i = 0..numel(x) - 1 + n
        y[i] = x[numel(x) - 1 - i]
    endfor
endfunction
function [] = backwards(x, y, n)
    for i = 7..-1..n
        y[i] = x[i - n]
    endfor
endfunction
function [] = in_steps(x, y, n)
    for i = n..3..n + 21
        y[i - n] = x[i]
    endfor
endfunction
function [] = attempt(what, f)
    for n = [0, 1, -1, 8, minvalue(int), maxvalue(int)]
        x = [3,1,4,1,5,2,6,0]
        y = zeros(8)
        try
            f(x, y, n)
            print what, " ", n, ": ", y
        catch ex
            print what, " ", n, ": ", y, " ", ex.message
        endtry
    endfor
endfunction
attempt("function", through_function)
attempt("put", through_put)
attempt("device", through_device)
attempt("clamped", through_clamped)
attempt("nested", through_nested)
attempt("two results", through_two)
attempt("lambda", through_lambda)
attempt("chain", through_chain)
attempt("condition", in_condition)
attempt("break", behind_break)
attempt("ends", of_ends)
attempt("backwards", backwards)
attempt("steps", in_steps)
% out: function 0: [3, 3, 3, 3, 3, 3, 3, 3]
% out: function 1: [3, 1, 4, 1, 5, 2, 6, 0]
% out: function -1: [3, 0, 0, 0, 0, 0, 0, 0] index -1 is out of bounds (0..7) in 'v'
% out: function 8: [3, 0, 0, 0, 0, 0, 0, 0] index 8 is out of bounds (0..7) in 'v'
% out: function -2147483648: [3, 0, 0, 0, 0, 0, 0, 0] index -2147483648 is out of bounds (0..7) in 'v'
% out: function 2147483648: [3, 0, 0, 0, 0, 0, 0, 0] index 2147483648 is out of bounds (0..7) in 'v'
% out: put 0: [3, 1, 4, 1, 5, 2, 6, 0]
% out: put 1: [0, 3, 1, 4, 1, 5, 2, 6] index 8 is out of bounds (0..7) in 'v'
% out: put -1: [0, 0, 0, 0, 0, 0, 0, 0] index -1 is out of bounds (0..7) in 'v'
% out: put 8: [0, 0, 0, 0, 0, 0, 0, 0] index 8 is out of bounds (0..7) in 'v'
% out: put -2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index -2147483648 is out of bounds (0..7) in 'v'
% out: put 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index 2147483648 is out of bounds (0..7) in 'v'
% out: device 0: [6, 2, 8, 2, 10, 4, 12, 0]
% out: device 1: [1, 7, 2, 9, 3, 11, 2, 6]
% out: device -1: [1, 7, 2, 9, 3, 11, 2, 6]
% out: device 8: [0, 0, 0, 0, 0, 0, 0, 0]
% out: device -2147483648: [0, 0, 0, 0, 0, 0, 0, 0]
% out: device 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] argument 'n' of 'near' needs a 'int', not a 'scalar'
% out: clamped 0: [3, 1, 5, 0, 0, 0, 0, 0]
% out: clamped 1: [1, 5, 0, 0, 0, 0, 0, 0]
% out: clamped -1: [1, 3, 1, 5, 0, 0, 0, 0]
% out: clamped 8: [0, 0, 0, 0, 0, 0, 0, 0]
% out: clamped -2147483648: [3, 3, 3, 3, 3, 3, 3, 3]
% out: clamped 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] argument 'i' of 'clamped' needs a 'int', not a 'scalar'
% out: nested 0: [6, 2, 8, 2, 10, 4, 12, 0]
% out: nested 1: [2, 8, 2, 10, 4, 12, 0, 0] index 8 is out of bounds (0..7) in 'x'
% out: nested -1: [0, 0, 0, 0, 0, 0, 0, 0] index -1 is out of bounds (0..7) in 'x'
% out: nested 8: [0, 0, 0, 0, 0, 0, 0, 0] index 8 is out of bounds (0..7) in 'x'
% out: nested -2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index -2147483648 is out of bounds (0..7) in 'x'
% out: nested 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index 2147483648 is out of bounds (0..7) in 'x'
% out: two results 0: [0, 1, -2, -1, 0, 1, 2, -1]
% out: two results 1: [0, -2, -1, 0, 1, 2, -1, 0] index 8 is out of bounds (0..7) in 'v'
% out: two results -1: [0, 0, 0, 0, 0, 0, 0, 0] index 8 is out of bounds (0..7) in 'v'
% out: two results 8: [0, 0, 0, 0, 0, 0, 0, 0] index 9 is out of bounds (0..7) in 'v'
% out: two results -2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index -2147483648 is out of bounds (0..7) in 'v'
% out: two results 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index 2147483648 is out of bounds (0..7) in 'v'
% out: lambda 0: [3, 3, 3, 3, 3, 3, 3, 3]
% out: lambda 1: [3, 1, 4, 1, 5, 2, 6, 0]
% out: lambda -1: [3, 0, 0, 0, 0, 0, 0, 0] index -1 is out of bounds (0..7) in 'x'
% out: lambda 8: [3, 0, 0, 0, 0, 0, 0, 0] index 8 is out of bounds (0..7) in 'x'
% out: lambda -2147483648: [3, 0, 0, 0, 0, 0, 0, 0] index -2147483648 is out of bounds (0..7) in 'x'
% out: lambda 2147483648: [3, 0, 0, 0, 0, 0, 0, 0] index 2147483648 is out of bounds (0..7) in 'x'
% out: chain 0: [3, 1, 4, 1, 5, 2, 6, 0]
% out: chain 1: [6, 5, 2, 0, 1, 1, 4, 0] index 8 is out of bounds (0..7) in 'x'
% out: chain -1: [0, 0, 0, 0, 0, 0, 0, 0] index -1 is out of bounds (0..7) in 'x'
% out: chain 8: [0, 0, 0, 0, 0, 0, 0, 0] index 8 is out of bounds (0..7) in 'x'
% out: chain -2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index -2147483648 is out of bounds (0..7) in 'x'
% out: chain 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index 2147483648 is out of bounds (0..7) in 'x'
% out: condition 0: [1, 0, 1, 0, 1, 0, 1, 0]
% out: condition 1: [0, 1, 0, 1, 0, 1, 0, 0]
% out: condition -1: [0, 1, 0, 1, 0, 1, 0, 0]
% out: condition 8: [0, 0, 0, 0, 0, 0, 0, 0]
% out: condition -2147483648: [0, 0, 0, 0, 0, 0, 0, 0]
% out: condition 2147483648: [0, 0, 0, 0, 0, 0, 0, 0]
% out: break 0: [0, 3, 1, 4, 1, 5, 2, 6]
% out: break 1: [0, 3, 0, 0, 0, 0, 0, 0]
% out: break -1: [0, 3, 1, 4, 1, 5, 2, 6] index 8 is out of bounds (0..7) in 'y'
% out: break 8: [0, 3, 1, 4, 1, 5, 2, 6] index 8 is out of bounds (0..7) in 'y'
% out: break -2147483648: [0, 3, 1, 4, 1, 5, 2, 6] index 8 is out of bounds (0..7) in 'y'
% out: break 2147483648: [0, 3, 1, 4, 1, 5, 2, 6] index 8 is out of bounds (0..7) in 'y'
% out: ends 0: [0, 6, 2, 5, 1, 4, 1, 3]
% out: ends 1: [0, 6, 2, 5, 1, 4, 1, 3] index 8 is out of bounds (0..7) in 'y'
% out: ends -1: [0, 6, 2, 5, 1, 4, 1, 0]
% out: ends 8: [0, 6, 2, 5, 1, 4, 1, 3] index 8 is out of bounds (0..7) in 'y'
% out: ends -2147483648: [0, 0, 0, 0, 0, 0, 0, 0]
% out: ends 2147483648: [0, 6, 2, 5, 1, 4, 1, 3] index 8 is out of bounds (0..7) in 'y'
% out: backwards 0: [3, 1, 4, 1, 5, 2, 6, 0]
% out: backwards 1: [0, 3, 1, 4, 1, 5, 2, 6]
% out: backwards -1: [1, 4, 1, 5, 2, 6, 0, 0] index -1 is out of bounds (0..7) in 'y'
% out: backwards 8: [0, 0, 0, 0, 0, 0, 0, 0]
% out: backwards -2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index -1 is out of bounds (0..7) in 'y'
% out: backwards 2147483648: [0, 0, 0, 0, 0, 0, 0, 0]
% out: steps 0: [3, 0, 0, 1, 0, 0, 6, 0] index 9 is out of bounds (0..7) in 'y'
% out: steps 1: [1, 0, 0, 5, 0, 0, 0, 0] index 9 is out of bounds (0..7) in 'y'
% out: steps -1: [0, 0, 0, 4, 0, 0, 2, 0] index 9 is out of bounds (0..7) in 'y'
% out: steps 8: [0, 0, 0, 0, 0, 0, 0, 0] index 9 is out of bounds (0..7) in 'y'
% out: steps -2147483648: [0, 0, 0, 0, 0, 0, 0, 0]
% out: steps 2147483648: [0, 0, 0, 0, 0, 0, 0, 0]
