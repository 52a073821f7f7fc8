% The type of a function that was defined says what it takes and gives; `??` is any type.
function y = f(x)
    y = 2*x
end
function [y : mat, n : int] = g(x : mat, k : scalar = 1, ...more)
    y = x
    n = 1
end
function [] = __kernel__ k(x : mat, pos : ivec2)
    x[pos] = 1
end
print type(f)
print type(g)
print type(k)
print type(x -> x), " ", type(sin), " ", type(f, "function"), type(k, "function")
% out: [?? -> ??]
% out: [(mat, scalar, ...??) -> (mat, int)]
% out: kernel_function
% out: function function 10
