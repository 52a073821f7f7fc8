% Worked out by hand, or from the formula in the function's description.
print imregionalmax([1,3,1,2])
print imregionalmax([[1,1,1],[1,5,5],[2,1,1]])
% out: [0, 1, 0, 1]
% out: [[0, 0, 0],
% out:  [0, 1, 1],
% out:  [0, 0, 0]]
