function y = f(a = 2*b, b = 1)   % error[Q0210]: 'b'
   y = a
endfunction
% compile
