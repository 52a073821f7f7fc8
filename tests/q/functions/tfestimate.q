seed(1); x = randn(1,4000)
h = tfestimate(x, filter([1,0.5],1,x), 64)
print abs(abs(h[0]) - 1.5) < 0.1, " ", abs(abs(h[32]) - 0.5) < 0.1
% out: 1 1
