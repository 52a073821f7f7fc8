[n, w] = cheb2ord(0.2, 0.3, 1, 40)
print n, " ", round(w .* 10000)
[n, w] = cheb2ord(0.3, 0.2, 1, 40)
print n
% out: 6 2950
% out: 6
