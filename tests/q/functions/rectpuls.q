print rectpuls([-1,0,0.4])
% out: [0, 1, 1]
