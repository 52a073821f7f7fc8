[b, a] = zp2tf([1], [0.5], 2)
print b, a
% out: [2, -2][1, -0.5]
