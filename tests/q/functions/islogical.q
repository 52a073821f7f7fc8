print islogical([1,2] > 1), islogical(3), islogical(true)
% out: 101
