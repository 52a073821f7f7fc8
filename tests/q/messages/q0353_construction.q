type point : class
   x : int
endtype
p = point(z:=1)   % error[Q0353]: class 'point' has no field 'z'
