{!parallel for}
for i=0..3   % error[Q0501]: the for-loop cannot be parallelized: it calls 'print'
   print i
endfor
% compile
