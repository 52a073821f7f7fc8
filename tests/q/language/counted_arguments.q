% A function that asks for nargin may be called with fewer arguments than it has.
function [a, b] = f(x, y)
    if nargin < 2
        y = 10
    endif
    a = x + y
    if nargout > 1
        b = 7
    endif
endfunction
print f(1), " ", f(1, 2), " ", f(1, y := 3)
[p, q] = f(1, 2)
print p, " ", q
z = zeros(4)
for i = 0..3
    z[i] = f(i, 1)
endfor
print z
for i = 0..3
    z[i] = f(i)
endfor
print z
function [] = k(...args)
    l = () -> nargin + 1
    print nargin, " ", nargout, " ", l()
endfunction
k()
k(1,2,3)
function y = with_default(x, n = 3, m)
    y = nargin + n
    if nargin > 2
        y += m
    endif
endfunction
print with_default(1), " ", with_default(1, 5), " ", with_default(1, 5, 100)
function y = needs(x, n)
    y = nargin > 5 ? 0 : x + n
endfunction
try
    print needs(1)
catch e
    print e
endtry
% Functions count their own arguments, wherever they are defined.
function y = outer(a, b)
    function y = inner(c)
        y = nargin
    endfunction
    y = 10*nargin + inner(1)
endfunction
print outer(1,2)
function y = named_so(nargin)
    y = nargin*2
endfunction
print named_so(4)
nargout = 3
print nargout
% falls back: the for-loop
% out: 11 3 4
% out: 3 7
% out: [1, 2, 3, 4]
% out: [10, 11, 12, 13]
% out: 0 0 1
% out: 3 0 4
% out: 4 7 108
% out: 'needs' misses argument 'n'
% out: 21
% out: 8
% out: 3
