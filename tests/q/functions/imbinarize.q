% Worked out by hand, or from the formula in the function's description.
print imbinarize([10,20,200,210])
% out: [0, 0, 1, 1]
