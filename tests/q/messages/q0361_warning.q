warning "x is ", 3   % warning[Q0361]: x is 3
print "goes on"
% out: goes on
