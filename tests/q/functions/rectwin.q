print rectwin(3)
% out: [1, 1, 1]
