print isspace("a b"), " ", sum(isspace(" x "))
% out: [0, 1, 0] 2
