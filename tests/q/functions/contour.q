x = [[0,1,0],[1,3,1],[0,1,0]]
p = contour(x, 3)
q = contour(0..2, 0..2, x, [0.5,2])
print p.file, " ", q.file
% out: plot_001.svg plot_001.svg
