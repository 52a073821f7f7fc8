print uminus([1,-2])
% out: [-1, 2]
