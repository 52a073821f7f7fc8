print triu(5), triu(5,1), tril(5), tril(5,-1)
% out: 5050
