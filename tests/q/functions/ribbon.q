h = ribbon([[0,1],[1,3],[0,1]])
print h.file
% out: plot_001.svg
ribbon([1,2,4])
