[z, p, k] = sos2zp([[1,2,1,1,0.5,0.2]])
print k
% out: 1
