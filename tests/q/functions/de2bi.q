print de2bi(6)
% out: [0, 1, 1]
