print transpose([1,2]), " ", transpose([[1,2],[3,4]]), " ", transpose(5)
% out: [[1],
% out:  [2]] [[1, 3],
% out:  [2, 4]] 5
