function [s, p] = both(a, b = 10)
   s = a + b
   p = a * b
endfunction
[s, p] = both(2)
print s, " ", p, " ", both(1, b:=2)
% out: 12 20 3
