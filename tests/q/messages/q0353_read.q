type point : class
   x : int
endtype
p = point()
print p.z   % error[Q0353]: class 'point' has no field 'z'
