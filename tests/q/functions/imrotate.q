print imrotate([[1,2],[3,4]],90), " ", imrotate([[1,2,3]],180), " ", imrotate([[1,2,3],[4,5,6]],-90,"linear"), size(imrotate(ones(4,4),45)), size(imrotate(ones(4,4,3),45,"linear","crop"))
% out: [[2, 4],
% out:  [1, 3]] [3, 2, 1] [[4, 1],
% out:  [5, 2],
% out:  [6, 3]][6, 6][4, 4, 3]
print imrotate([[1,2,3],[4,5,6],[7,8,9]],90,"crop")
% out: [[3, 6, 9],
% out:  [2, 5, 8],
% out:  [1, 4, 7]]
