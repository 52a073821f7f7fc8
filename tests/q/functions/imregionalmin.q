% Worked out by hand, or from the formula in the function's description.
print imregionalmin([1,3,1,2])
% out: [1, 0, 1, 0]
