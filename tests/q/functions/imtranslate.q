% Worked out by hand, or from the formula in the function's description.
print imtranslate([[1,2],[3,4]],[1,0])
% out: [[0, 1],
% out:  [0, 3]]
