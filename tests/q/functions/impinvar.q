[b, a] = impinvar([1], [1,1], 1)
print round(a .* 1000)
% out: [1000, -368]
