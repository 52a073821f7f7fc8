% Worked out by hand, or from the formula in the function's description.
print imgaussfilt([[0,0,0],[0,9,0],[0,0,0]],0.5)
% out: [[0.102094, 0.754376, 0.102094],
% out:  [0.754376, 5.57412, 0.754376],
% out:  [0.102094, 0.754376, 0.102094]]
