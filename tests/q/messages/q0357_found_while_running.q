type point : class
   x : int
endtype
function [] = change(p)
   p.x = 2   % error[Q0357]: class 'point' is immutable
endfunction
change(point(x:=1))
