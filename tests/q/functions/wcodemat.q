print wcodemat([[0,1],[2,3]], 4)
% out: [[1, 2],
% out:  [3, 4]]
