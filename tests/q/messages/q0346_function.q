f = x -> x
print f[0]   % error[Q0346]: 'f', a 'function', cannot be indexed
