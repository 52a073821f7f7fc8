plot([1,2])
axis([1,0,0,1])   % error[Q0314]: argument 1 of 'axis' needs limits, the lower one first, not a 'vec'
