print bitget([5,6], 1)
% out: [1, 0]
