% Worked out by hand, or from the formula in the function's description.
print mat2gray([1,2,5])
print mat2gray([1,2,5],[0,2])
% out: [0, 0.25, 1]
% out: [0.5, 1, 1]
