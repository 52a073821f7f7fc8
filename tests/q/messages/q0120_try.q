try   % error[Q0120]: expected 'endtry', found the end of the file
   print 1
% compile
