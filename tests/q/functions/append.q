print append([1,2],5), " ", append([],3), " ", append({1},"a")[1], " ", size(append(transpose([1,2]),3)), " ", append([[1,2]],[3,4],0)
print size(append(ones(2,2,2),ones(2,2),2))
% out: [1, 2, 5] [3] a [3, 1] [[1, 2],
% out:  [3, 4]]
% out: [2, 2, 3]
