print power([1,2,3],2)
% out: [1, 4, 9]
