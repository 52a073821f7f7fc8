% Nothing is shown on the way: no picture waits for the next one.
sync_framerate(25)
print "on"
% out: on
