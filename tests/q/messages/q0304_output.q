function y = f(x)   % error[Q0304]: output argument 'y' of 'f' was not assigned
   if x
       y = 1
   endif
endfunction
print f(0)
