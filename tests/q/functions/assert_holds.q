assert(1 > 0)
assert(type([1,2],"vec"), "a vector")
print "fine"
% out: fine
