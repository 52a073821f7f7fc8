function y = f(a, b)
   y = a
endfunction
print f(1, a:=2)   % error[Q0306]: argument 'a' of 'f' is given twice
