% A text with one conversion for each further value is a format, as MATLAB's is; any other is one of the values.
try
  error("row %d of %s", 3, "A")
catch e
  print e
endtry
try
  error("at 100 % s", 7)
catch e
  print e
endtry
try
  error("100%% of %d", 7)
catch e
  print e
endtry
try
  error("%d and %d ", 7)
catch e
  print e
endtry
% out: row 3 of A
% out: at 100 % s7
% out: 100% of 7
% out: %d and %d 7
warning("%d of %d", 1, 2)   % warning[Q0361]: 1 of 2
