function y = f()
   y = 1
endfunction
[a, b] = f()   % error[Q0305]: 'f' has 1 outputs, 2 requested
