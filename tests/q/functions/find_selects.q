% What find gives selects the elements again.
x = [[5,1,9],[7,2,8]]
x[find(x > 6)] = 0
print x
print x[find(x > 1)]
c = zeros(2,2,2)
c[[[0,1,0],[1,1,1]]] = [3,4]
print c[0,1,0], c[1,1,1], sum(c)
x[find(x > 100)] = 1
print sum(x), numel(x[find(x > 100)])
rows = find(x == 2)
print x[rows], size(rows)
% A single row stays a position.
print x[[1,1]]
% out: [[5, 1, 0],
% out:  [0, 2, 0]]
% out: [5, 2]
% out: 347
% out: 80
% out: 2[1, 2]
% out: 2
