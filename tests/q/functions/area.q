p = area([3,1,2])
print p.file
% out: plot_001.svg
