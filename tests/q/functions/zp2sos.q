[s,g] = zp2sos([-1,-1], [0.5,-0.5], 2)
print s, " ", g
print size(zp2sos([], [0.5], 1))
% out: [1, 2, 1, 1, 0, -0.25] 2
% out: [1, 6]
