type point : class
   x : int
   y : int
endtype
p = point(x:=1,x:=2)   % error[Q0351]: the field 'x' of 'point' is given twice
