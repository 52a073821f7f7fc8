% Worked out by hand, or from the formula in the function's description.
print stretchlim(0..255)
% out: [2, 253]
