print circshift([[1,2,3],[4,5,6]], 1, 0), circshift([[1,2,3],[4,5,6]], -1, 1)
try
    y = circshift([1,2], 1, 5)
catch message
    print message
end
% out: [[4, 5, 6],
% out:  [1, 2, 3]][[2, 3, 1],
% out:  [5, 6, 4]]
% out: argument 3 of 'circshift' needs a dimension of the array, for one distance, not a 'int'
