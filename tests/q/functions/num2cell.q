print numel(num2cell([1,2,3]))
% out: 3
