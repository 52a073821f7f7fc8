print mat(2,2), " ", type(mat[int](1,2))
% out: [[0, 0],
% out:  [0, 0]] vec[int]
