print gt([1,2],1)
% out: [0, 1]
