s = series(tf([1,3],[1,2]), tf([2],[1,1]))
print s.num, " ", s.den
% out: [2, 6] [1, 3, 2]
