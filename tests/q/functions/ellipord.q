[n, w] = ellipord(0.2, 0.3, 1, 40)
print n
% out: 4
