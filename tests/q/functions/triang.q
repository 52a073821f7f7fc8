% Compared with scipy.signal.windows.triang.
print triang(4), triang(5), triang(1)
% out: [0.25, 0.75, 0.75, 0.25][0.333333, 0.666667, 1, 0.666667, 0.333333][1]
