% Worked out by hand, or from the formula in the function's description.
print im2uint8([0,0.5,1])
% out: [0, 128, 255]
