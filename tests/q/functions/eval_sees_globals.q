k = 4
print eval("k+1")
% out: 5
