s = feedback(tf([9],[1,1]), tf(1))
print s.num, " ", s.den, " ", feedback(tf([9],[1,1]), tf(1), 1).den
% out: [9] [1, 10] [1, -8]
