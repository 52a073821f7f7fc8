dlmwrite("m.csv", [[1,2],[3,4]])
print csvread("m.csv")
% out: [[1, 2],
% out:  [3, 4]]
