% Worked out by hand, or from the formula in the function's description.
print imbothat([[9,9,9],[9,1,9],[9,9,9]])
% out: [[0, 0, 0],
% out:  [0, 8, 0],
% out:  [0, 0, 0]]
