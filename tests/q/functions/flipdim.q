print flipdim([1,2,3]), flipdim([[1,2],[3,4]], 0)
% out: [3, 2, 1][[3, 4],
% out:  [1, 2]]
