h = contour3([[0,1,0],[1,3,1],[0,1,0]], 3)
print h.file
% out: plot_001.svg
contour3(ones(2,2), [5])
