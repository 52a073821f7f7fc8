print arrayfun(x -> x^2, [1,2,3]), arrayfun((a,b) -> a-b, [[1,2],[3,4]], [[1,1],[1,1]])
% out: [1, 4, 9][[0, 1],
% out:  [2, 3]]
