x = randsample(10, 4)
print numel(unique(x)), max(x) < 10
% out: 41
