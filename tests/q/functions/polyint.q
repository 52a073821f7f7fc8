print polyint([2,0]), " ", polyint([3],1)
% out: [1, 0, 0] [3, 1]
