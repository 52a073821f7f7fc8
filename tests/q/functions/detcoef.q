[c, l] = wavedec([1,2,3,4,6,6,0,8], 2, "haar")
a = detcoef(c, l, 1)
b = detcoef(c, l, 2)
print size(a), size(b), max(abs(horzcat(c[0..1], b, a) - c)) < 1e-6
% out: [1, 4][1, 2]1
