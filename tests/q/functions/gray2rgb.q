% Worked out by hand, or from the formula in the function's description.
print size(gray2rgb(ones(2,2)))
% out: [2, 2, 3]
