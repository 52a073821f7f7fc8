% Compared with scipy.signal.buttord.
[n, w] = buttord(0.2, 0.4, 3, 30)
print n, " ", round(10000*w)
[n, w] = buttord(0.5, 0.3, 1, 40)
print n, " ", round(10000*w)
% out: 5 2001
% out: 8 4732
