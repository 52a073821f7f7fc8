h = gscatter(0..9, (0..9).^2, [0,0,1,1,2,3,4,5,6,7])
print h.file
% out: plot_001.svg
