pause(0)
print "on"
% out: on
