% Worked out by hand, or from the formula in the function's description.
print imcomplement([0,200])
print imcomplement([0,1])
% out: [255, 55]
% out: [1, 0]
