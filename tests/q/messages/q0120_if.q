if 1   % error[Q0120]: expected 'endif', found the end of the file
   print 1
% compile
