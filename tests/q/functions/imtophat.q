% Worked out by hand, or from the formula in the function's description.
print imtophat([[1,1,1],[1,9,1],[1,1,1]])
% out: [[0, 0, 0],
% out:  [0, 8, 0],
% out:  [0, 0, 0]]
