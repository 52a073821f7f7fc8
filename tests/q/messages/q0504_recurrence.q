x = ones(5)
for i=1..4   % warning[Q0504]: the for-loop is not parallelized: 'x' is read at x[i-1] and written at x[i]
   x[i] = x[i-1] * 2
endfor
print x
% out: [1, 2, 4, 8, 16]
