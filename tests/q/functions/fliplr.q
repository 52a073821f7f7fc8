print fliplr([1,2,3]), " ", fliplr([[1,2],[3,4]])
% out: [3, 2, 1] [[2, 1],
% out:  [4, 3]]
