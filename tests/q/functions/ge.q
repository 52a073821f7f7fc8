print ge([1,2],2)
% out: [0, 1]
