p = phantom(32)
print size(p), max(p), round(p[16,16] .* 100)
% out: [32, 32]120
