a = [1,2,3]
b = copy(a)
b[0] = 9
c = a
c[1] = 8
print a, " ", b
% out: [1, 8, 3] [9, 2, 3]
