if 0
   print 1
else print 2   % error[Q0119]: 'else' needs a line of its own
endif
% compile
