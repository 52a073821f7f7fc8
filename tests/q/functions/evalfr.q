print evalfr(tf([1],[1,1]),1), " ", evalfr(tf([1],[1,1]),[1,3])
% out: 0.5 [0.5, 0.25]
