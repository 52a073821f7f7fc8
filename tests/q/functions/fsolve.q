x = fsolve(x -> [x[0]^2 + x[1]^2 - 2, x[0] - x[1]], [2,0.5])
print abs(x - 1) < 1e-3
[x, v] = fsolve(t -> cos(t) - t, 0.5)
print abs(x - 0.739085) < 1e-4, " ", abs(v) < 1e-4, " ", type(x)
print size(fsolve(x -> x*x - [[2,0],[0,2]], eye(2)))
% out: [1, 1]
% out: 1 1 scalar
% out: [2, 2]
