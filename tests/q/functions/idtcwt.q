[low, high] = dtcwt([1,-2,3], 1)
print max(abs(idtcwt(low, high, 3) - [1,-2,3])) < 1e-5
% out: 1
