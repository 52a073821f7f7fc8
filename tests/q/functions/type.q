type point : mutable class
   x : int
   y : scalar
endtype
p = point(x:=3)
p.y = 1.5
print p
% out: point(x:=3, y:=1.5)
