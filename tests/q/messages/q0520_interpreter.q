% args: -v --device interp
function [] = __kernel__ k(c : vec[vec], y : vec, pos : int)   % note[Q0520]: kernel 'k' does not run on device interp
   y[pos] = sum(c[pos])
endfunction
c = vec[vec](1)
c[0] = [1,2]
y = zeros(1)
parallel_do(1, c, y, k)
print y
% out: [3]
