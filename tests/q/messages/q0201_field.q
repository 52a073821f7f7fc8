type point : class
   x : scalar
   x : int   % error[Q0201]: the field 'x' of class 'point' is there twice
endtype
% compile
