print "a"
print
print "b"
% out: a
% out:
% out: b
