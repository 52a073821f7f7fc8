display([1,2])
% out: [1, 2]
