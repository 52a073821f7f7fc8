[c,k] = confusionmat([0,0,1,7],[0,1,1,7])
print c, " ", k
% out: [[1, 1, 0],
% out:  [0, 1, 0],
% out:  [0, 0, 1]] [0, 1, 7]
