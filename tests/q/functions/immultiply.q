% Worked out by hand, or from the formula in the function's description.
print immultiply([200,50],2)
% out: [255, 100]
