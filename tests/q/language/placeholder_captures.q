k = 2
f = pow(_, k)
k = 5
print f(3)
% out: 9
