n = 100
a = 2^nextpow2(n)   % warning[Q0218]: 'nextpow2' is the power of two itself
b = 2.^nextpow2(2*n)   % warning[Q0218]: 'nextpow2' is the power of two itself
c = nextpow2(n)^2
print c   % out: 16384
