p = stairs([3,1,2])
q = stairs([0,1,4], [3,1,2])
print p.file
% out: plot_001.svg
