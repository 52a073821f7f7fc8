function y = f(x : banana)
   y = 1
endfunction
print f(3)   % error[Q0220]: unknown type 'banana' of argument 'x'
