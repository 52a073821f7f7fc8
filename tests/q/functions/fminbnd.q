[x,f] = fminbnd(t -> (t-1)^2 + 2, -3, 3)
print abs(x - 1) < 1e-3, " ", abs(f - 2) < 1e-5, " ", abs(fminbnd(t -> t, 1, 2) - 1) < 1e-3
% out: 1 1 1
