warning "mind the gap"   % warning[Q0361]: mind the gap
print "on"
% out: on
