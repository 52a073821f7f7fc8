p = contourf([[0,1,0],[1,3,1],[0,1,0]])
q = contourf(0..2,0..2,[[0,1,0],[1,3,1],[0,1,0]],3)
print p.file, " ", q.file
% out: plot_001.svg plot_002.svg
