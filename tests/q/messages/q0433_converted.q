function [] = __kernel__ k(y : vec, pos : int)   % warning[Q0433]: kernel 'k' writes to a converted copy of argument 'y'
   y[pos] = 7
endfunction
y = int([1,2])
parallel_do(2, y, k)
print y
% out: [1, 2]
