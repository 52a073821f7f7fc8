print bitset([4,6], 1)
% out: [5, 7]
