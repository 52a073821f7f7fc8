x = zeros(20,20)
x[5..14,5..14] = 255
m = cornermetric(x)
print m[5,5] > 0, " ", m[5,10] < 0, " ", m[0,0]
% out: 1 1 0
