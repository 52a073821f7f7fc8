% Worked out by hand, or from the formula in the function's description.
print size(label2rgb([[0,1],[2,1]]))
% out: [2, 2, 3]
