print factor(360), " ", factor(97), " ", factor(1)
% out: [2, 2, 2, 3, 3, 5] [97] [1]
