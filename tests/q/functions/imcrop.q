% Worked out by hand, or from the formula in the function's description.
print imcrop([[1,2,3],[4,5,6]],[1,0,2,2])
% out: [[2, 3],
% out:  [5, 6]]
