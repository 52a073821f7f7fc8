function y = f()
   y = k + 1   % error[Q0302]: 'k' is not defined
endfunction
k = 1
print f()
