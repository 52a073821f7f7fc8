% args: -v
for i=0..1   % note[Q0510]: the for-loop is not parallelized: it calls 'print'
   print i
endfor
% out: 0
% out: 1
