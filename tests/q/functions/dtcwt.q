[low, high] = dtcwt(0..7, 2)
print size(low), numel(high), size(high[0])
% out: [2, 2]2[1, 4]
