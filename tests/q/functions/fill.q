p = fill([0,1,1],[0,0,1],"r")
q = fill([0,1,1],[[0,2],[0,2],[1,3]])
print p.file, " ", q.file
% out: plot_001.svg plot_002.svg
