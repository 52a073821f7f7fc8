% Worked out by hand, or from the formula in the function's description.
print imabsdiff([1,5],[4,4])
% out: [3, 1]
