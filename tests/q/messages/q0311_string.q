function y = f(x : scalar)
   y = x
endfunction
print f("a")   % error[Q0311]: argument 'x' of 'f' needs a 'scalar', not a 'string'
