x = [[1,2,3],[4,5,-6]]
[low, high] = dtcwt2(x, 1)
print max(max(abs(idtcwt2(low, high, [2,3]) - x))) < 1e-5
% out: 1
