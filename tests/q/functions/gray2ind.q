[x, map] = gray2ind([[0,255]], 4)
print x
% out: [0, 3]
