[group, means, sums, far] = kmeans(transpose([0,1,10,11]), 2)
print sort(sums[:,0]), size(far), " ", isequal(sort(min(far, [], 1)), transpose([0.25,0.25,0.25,0.25]))
% out: [[0.5],
% out:  [0.5]][4, 2] 1
