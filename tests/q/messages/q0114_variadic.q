function y = f(...a, b)   % error[Q0114]: the variadic parameter '...a' must be the last one
   y = 1
endfunction
% compile
