x = [[1,inf],[nan,4]]
print tril(x), " ", triu(x)
% out: [[1, 0],
% out:  [NaN, 4]] [[1, Inf],
% out:  [0, 4]]
