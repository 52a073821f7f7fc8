seed(3)
x = rand(100000)
print abs(mean(x)-0.5) < 0.01, abs(var(x)-1/12) < 0.01
% out: 11
