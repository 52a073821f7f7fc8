x = mod(reshape(0..63, [8,8]) .* 7, 13) .* 10
y = adapthisteq(x, [2,2])
print size(y), max(y) <= 255, y[0,:]
% out: [8, 8]1[16, 145, 35, 164, 53, 182, 71, 200]
