function y = f(x : int)
   y = x
endfunction
print f(2.5)   % error[Q0311]: argument 'x' of 'f' needs a 'int', not a 'scalar'
