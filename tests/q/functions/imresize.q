print imresize([[1,2],[3,4]],2,"nearest")
% out: [[1, 1, 2, 2],
% out:  [1, 1, 2, 2],
% out:  [3, 3, 4, 4],
% out:  [3, 3, 4, 4]]
