% Worked out by hand, or from the formula in the function's description.
print imreconstruct([0,1,0,0],[2,2,0,2])
% out: [1, 1, 0, 0]
