c = {[1,2],[3,4]}
y = zeros(2)
for i=0..1   % warning[Q0503]: the for-loop is not parallelized: the type of 'c' is not known
   y[i] = c[i][0]
endfor
print y
% out: [1, 3]
