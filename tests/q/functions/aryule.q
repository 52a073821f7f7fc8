[a, e] = aryule([1,2,3,4,5], 2)
print round(a .* 10000), round(e .* 1000)
% out: [10000, -8140, 1193]5108
