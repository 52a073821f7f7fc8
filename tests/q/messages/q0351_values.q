type point : class
   x : int
   y : int
endtype
p = point(1,2,3)   % error[Q0351]: class 'point' has 2 fields, more values are given
