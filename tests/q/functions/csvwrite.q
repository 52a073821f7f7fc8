csvwrite("q_w.txt", [[1,2.5,-3],[1e10,nan,0.1]])
print csvread("q_w.txt"), csvread("q_w.txt", 1, 0), csvread("q_w.txt", 0, 2)
% out: [[1, 2.5, -3],
% out:  [1e+10, NaN, 0.1]][1e+10, NaN, 0.1][[-3],
% out:  [0.1]]
