assert([1,2,3] > 0)
try
assert([1,0,1])
catch e
print e
endtry
% out: the assertion does not hold
