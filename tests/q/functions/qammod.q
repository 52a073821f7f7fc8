v = qammod(0..15, 16)
print v[0..3], mean(abs(v).^2)
% out: [-3+3j, -3+1j, -3-3j, -3-1j]10
