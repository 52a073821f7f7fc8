% The least powers of two that are not less.
print nextpow2([1,3,4,5,1000]), nextpow2(513), nextpow2(0.3)
% out: [1, 4, 4, 8, 1024]10241
