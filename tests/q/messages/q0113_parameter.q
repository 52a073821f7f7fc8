function y = f(while)   % error[Q0113]: reserved word
   y = 1
endfunction
% compile
