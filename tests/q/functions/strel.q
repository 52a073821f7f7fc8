% Worked out by hand, or from the formula in the function's description.
print strel("diamond",1)
print strel("disk",2)
print strel("square",2)
print strel("rectangle",[1,2])
print strel("line",3,90)
% out: [[0, 1, 0],
% out:  [1, 1, 1],
% out:  [0, 1, 0]]
% out: [[0, 0, 1, 0, 0],
% out:  [0, 1, 1, 1, 0],
% out:  [1, 1, 1, 1, 1],
% out:  [0, 1, 1, 1, 0],
% out:  [0, 0, 1, 0, 0]]
% out: [[1, 1],
% out:  [1, 1]]
% out: [1, 1]
% out: [[1],
% out:  [1],
% out:  [1]]
