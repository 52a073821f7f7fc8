print cospi([0.5,1])
% out: [0, -1]
