try
   x = [1,2][5]
catch e
   print e.message, " in line ", e.line
endtry
% out: index 5 is out of bounds (0..1) in array in line 2
