print accumarray(transpose([0,2,0]),[1,2,3]), " ", accumarray(transpose([0,2,0]),[1,2,3],[],max), " ", size(accumarray([0,1],[1,1]))
% out: [[4],
% out:  [0],
% out:  [2]] [[3],
% out:  [0],
% out:  [2]] [1, 2]
