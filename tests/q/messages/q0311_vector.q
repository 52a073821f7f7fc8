function y = f(x : vec(3))
   y = x
endfunction
print f([1,2])   % error[Q0311]: argument 'x' of 'f' needs a 'vec(3)', not a 'vec' of size 1x2
