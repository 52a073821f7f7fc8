% Worked out by hand, or from the formula in the function's description.
print imsubtract([200,50],100)
% out: [100, 0]
