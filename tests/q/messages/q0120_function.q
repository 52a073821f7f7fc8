function y = f(x)   % error[Q0120]: expected 'endfunction', found the end of the file
   y = x
% compile
