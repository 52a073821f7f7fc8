[theta, r] = cart2pol(3, 4)
print r
% out: 5
