[r,c,d] = size(ones(2,3))
print r, c, d
% out: 231
