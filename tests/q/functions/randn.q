seed(4)
x = randn(100000)
print abs(mean(x)) < 0.02, abs(std(x)-1) < 0.02
% out: 11
