[a, e] = arburg([1,2,3,5,8,2,1], 2)
print round(a .* 1000), round(e .* 100)
% out: [1000, -823, 88]654
