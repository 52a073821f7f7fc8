type point : mutable class
   x : int
endtype
p = point()
p.x = "a"   % error[Q0354]: field 'x' of 'point' needs a 'int', not a 'string'
