d = c2d(tf([1],[1,1]), 1)
print d.num, " ", d.den, " ", d.Ts, " ", c2d(tf(3), 1).num
% out: [0.632121] [1, -0.367879] 1 [3]
