type point : class
   x : int
endtype
a = vec[point](10)   % error[Q0216]: point
% compile
