print imextendedmin([5,1,4], 2)
% out: [0, 1, 0]
