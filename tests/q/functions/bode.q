[m,p,w] = bode(tf([1],[1,1]), [1.0])
print abs(m - sqrt(0.5)) < 1e-6, " ", p, " ", w
[m,p] = bode([1], [1,1], [0.5,2])
print round(100*m)./100
% out: [1] [-45] [1]
% out: [0.89, 0.45]
