% Worked out by hand, or from the formula in the function's description.
print im2double([0,255])
% out: [0, 1]
