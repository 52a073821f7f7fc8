% A straight input is followed exactly: the ramp through 1/(s+1) is t - 1 + exp(-t).
y = lsim(tf([1],[1,1]), [0,1,2], [0,1,2])
print abs(y - [0, exp(-1), 1 + exp(-2)]) < 1e-5
print lsim(tf([1],[1,-0.5],1), [1,0,0], 0..2)
% out: [1, 1, 1]
% out: [0, 1, 0.5]
