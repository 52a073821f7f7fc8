% Functions, lambdas and closures.
function [a, b] = both(x, y = 10)
    a = x + y
    b = x * y
endfunction
[p, q] = both(2)
print p, " ", q                      % out: 12 20
[p, q] = both(2, y:=3)
print p, " ", q                      % out: 5 6
adder = n -> x -> x + n
add5 = adder(5)
print add5(1), " ", adder(1)(1)      % out: 6 2
fib = n -> n < 2 ? n : fib(n-1) + fib(n-2)
print fib(15)                        % out: 610
compose = (f, g) -> x -> f(g(x))
h = compose(x -> x*2, x -> x+1)
print h(10)                          % out: 22
print cellfun(x -> x^2, {1, 2, 3})   % out: {1, 4, 9}
function y = outer(n)
    function z = inner(k)
        z = k <= 1 ? 1 : k * inner(k-1)
    endfunction
    y = inner(n)
endfunction
print outer(5)                       % out: 120
