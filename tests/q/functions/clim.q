imagesc([[0,1],[2,3]])
clim([1,2])
print clim()
% out: [1, 2]
