[y,t] = impulse(tf([1],[1,1]), [0,1,2])
print abs(y - exp(-t)) < 1e-5
[y,t] = impulse(tf([1],[1,-0.5],1), 3)
print y, " ", t
% out: [1, 1, 1]
% out: [0, 1, 0.5, 0.25] [0, 1, 2, 3]
