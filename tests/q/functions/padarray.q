% Worked out by hand, or from the formula in the function's description.
print padarray([1,2],[0,1])
print padarray([[1,2],[3,4]],[1,1],"replicate")
print padarray([[1,2],[3,4]],[2,1],"symmetric")
print padarray([1,2,3],[0,2],"circular","post")
print padarray([1,2],[1,0],7,"pre")
% out: [0, 1, 2, 0]
% out: [[1, 1, 2, 2],
% out:  [1, 1, 2, 2],
% out:  [3, 3, 4, 4],
% out:  [3, 3, 4, 4]]
% out: [[3, 3, 4, 4],
% out:  [1, 1, 2, 2],
% out:  [1, 1, 2, 2],
% out:  [3, 3, 4, 4],
% out:  [3, 3, 4, 4],
% out:  [1, 1, 2, 2]]
% out: [1, 2, 3, 1, 2]
% out: [[7, 7],
% out:  [1, 2]]
