zplane([1,1],[1,-0.5])
print "drawn"
% out: drawn
