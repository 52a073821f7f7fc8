print "before"
exit(0)
print "after"
% out: before
