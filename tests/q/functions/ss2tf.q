[num, den] = ss2tf([[-1]], [[1]], [[2]], [[0]])
print num, " ", den
% out: [0, 2] [1, 1]
