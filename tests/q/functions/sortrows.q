print sortrows([[2,1],[1,9],[1,3]])
[y,i] = sortrows([[2,1],[1,9],[1,3]], 1)
print y, i
print sortrows([[2,1],[1,9],[1,3]], -1)
% out: [[1, 3],
% out:  [1, 9],
% out:  [2, 1]]
% out: [[2, 1],
% out:  [1, 3],
% out:  [1, 9]][0, 2, 1]
% out: [[2, 1],
% out:  [1, 9],
% out:  [1, 3]]
