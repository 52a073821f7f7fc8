writematrix([[1,2],[3,4]], "m.csv")
print csvread("m.csv")
% out: [[1, 2],
% out:  [3, 4]]
