print nextpow2(100), " ", nextpow2(64), " ", nextpow2(1), " ", nextpow2(65)
% out: 128 64 1 128
