print vecnorm([[3,0],[4,2]]), vecnorm([3,4]), vecnorm([[3,0],[4,2]], 1, 1), vecnorm([[3,0],[4,2]], inf)
% out: [5, 2][5][[3],
% out:  [6]][4, 2]
