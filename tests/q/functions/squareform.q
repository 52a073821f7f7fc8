print squareform([5,4,3])
% out: [[0, 5, 4],
% out:  [5, 0, 3],
% out:  [4, 3, 0]]
