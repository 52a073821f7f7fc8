import "system.q"
print isreal(1)
% out: 1
