[counts,edges] = histogram([1,2,2,3],3)
print counts, " ", edges, " ", histogram([1,2,2,3],[0,2,4]), " ", histogram([5,5],2)
% out: [1, 2, 1] [1, 1.66667, 2.33333, 3] [1, 3] [2, 0]
