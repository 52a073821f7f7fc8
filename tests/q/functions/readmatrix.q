csvwrite("m.csv", [[1,2],[3,4]])
print readmatrix("m.csv")
% out: [[1, 2],
% out:  [3, 4]]
