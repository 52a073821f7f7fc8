a = ones(2,3,4)
print size(a), " ", size(a,1), " ", size(a,5), " ", size(a,0..1)
% out: [2, 3, 4] 3 1 [2, 3]
