[low, high] = dtcwt2(ones(8,8), 2)
print numel(low), size(low[0]), size(high[0]), max(max(max(abs(high[1])))) < 1e-5
% out: 4[2, 2][4, 4, 6]1
