print rdivide([1,2],2)
% out: [0.5, 1]
