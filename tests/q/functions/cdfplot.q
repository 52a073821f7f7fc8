h = cdfplot([3,1,2,2])
print h.file
% out: plot_001.svg
