print dcgain(tf([3],[1,2])), " ", dcgain(tf([1],[1,-0.5],1))
% out: 1.5 2
