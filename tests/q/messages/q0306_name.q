function y = f(a, b)
   y = a
endfunction
print f(1, c:=2)   % error[Q0306]: 'f' has no argument 'c'
