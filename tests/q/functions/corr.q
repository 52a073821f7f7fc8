print round(corr(transpose([1,2,3]), transpose([2,4,7]))*1000), " ", round(corr([[1,2],[2,4],[3,7]])*1000)
% out: 993 [[1000, 993],
% out:  [993, 1000]]
