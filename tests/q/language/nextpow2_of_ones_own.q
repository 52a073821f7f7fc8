% A program may have a function of this name that gives the exponent.
nextpow2 = x -> ceil(log2(x))
print 2^nextpow2(100)   % out: 128
