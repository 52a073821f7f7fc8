function y = f(x)
   y = 0
   if x < 0
       return
   endif
   y = sqrt(x)
endfunction
print f(-4), f(9)
% out: 03
