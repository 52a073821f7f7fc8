p = quiver([[1,0],[0,1]], [[0,1],[1,0]])
print p.file
% out: plot_001.svg
