seed(1); x = randn(1,300)
[c,f] = mscohere(x, filter([1,0.5],1,x), 64)
print size(c), " ", min(c) > 0.9, " ", max(c) <= 1.0001, " ", f[end] - pi < 1e-3
% out: [1, 33] 1 1 1
