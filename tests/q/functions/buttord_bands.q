% Bands, and edges of analogue filters; the numbers are Octave's.
[n, w] = buttord([0.2, 0.4], [0.1, 0.5], 3, 30)
print n, " ", round(10000*w)
[n, w] = buttord([0.1, 0.5], [0.2, 0.4], 3, 30)
print n, " ", round(10000*w)
[n, w] = buttord(200, 400, 3, 30, "s")
print n, " ", round(10*w)
[n, w] = buttord(400, 200, 3, 30, "s")
print n, " ", round(10*w)
[n, w] = buttord([100, 500], [200, 400], 3, 30, "s")
print n, " ", round(10*w)
[n, w] = buttord([200, 400], [100, 500], 3, 30, "s")
print n, " ", round(10*w)
% out: 6 [2000, 4000]
% out: 6 [1476, 4999]
% out: 5 2001
% out: 5 3998
% out: 7 [1600, 4999]
% out: 7 [2000, 4000]
