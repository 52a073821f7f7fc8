print cummax([1,3,2,5]), " ", cummax([[1,4],[3,2]]), " ", cummax([nan,1,nan,2])
[y,i] = cummax([1,3,2,3])
print y, " ", i
% out: [1, 3, 3, 5] [[1, 4],
% out:  [3, 4]] [NaN, 1, 1, 2]
% out: [1, 3, 3, 3] [0, 1, 1, 1]
