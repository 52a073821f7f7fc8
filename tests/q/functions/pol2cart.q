[x, y] = pol2cart(0, 2)
print x, " ", y
% out: 2 0
