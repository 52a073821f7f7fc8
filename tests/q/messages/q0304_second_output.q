function [a, b] = f()
   a = 1
endfunction
x = f()
print x
try
   [x, y] = f()
catch e
   print e
endtry
% out: 1
% out: output argument 'b' of 'f' was not assigned
