x = zeros(5)
{!parallel for}
for i=1..4   % warning[Q0502]: the for-loop is parallelized although
   x[i] = x[i-1] + 1
endfor
