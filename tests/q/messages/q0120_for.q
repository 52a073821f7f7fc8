for i=0..3   % error[Q0120]: expected 'endfor', found the end of the file
   print i
% compile
