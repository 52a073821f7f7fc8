% The numbers are Octave's.
[n, w] = cheb1ord(200, 400, 3, 30, "s")
print n, " ", w
[n, w] = cheb2ord(200, 400, 3, 30, "s")
print n, " ", round(100*w)
[n, w] = ellipord(200, 400, 3, 30, "s")
print n, " ", w
[n, w] = cheb1ord([0.2, 0.4], [0.1, 0.5], 3, 30)
print n, " ", w
% out: 4 200
% out: 4 31757
% out: 3 200
% out: 4 [0.2, 0.4]
