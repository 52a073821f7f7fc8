p = scatterplot([1+1i, -1-1i])
print p.file
% out: plot_001.svg
