x = [1,2]
if x   % error[Q0380]: condition must be a scalar, not a 'vec'
   print 1
endif
