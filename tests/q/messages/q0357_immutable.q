% compile
type point : class
   x : int
endtype
p = point(x:=1)
p.x = 2   % error[Q0357]: class 'point' is immutable
