% Worked out by hand, or from the formula in the function's description.
print imdivide([200,50],2)
% out: [100, 25]
