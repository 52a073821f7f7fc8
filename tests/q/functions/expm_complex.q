% scipy.linalg.expm: of i*pi it is -1, and of [[0,i],[i,0]] it is cosh and sinh of i.
x = expm([[0+1i*pi, 0],[0, 0]])
print abs(x[0,0]+1) < 1e-5, abs(x[1,1]-1) < 1e-5
% out: 11
y = expm([[0, 1i],[1i, 0]])
print abs(y[0,0] - cos(1)) < 1e-5, abs(y[0,1] - 1i*sin(1)) < 1e-5
% out: 11
