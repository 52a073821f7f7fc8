h = waterfall([[0,1,0],[1,3,1],[0,1,0]])
print h.file
% out: plot_001.svg
waterfall([0,1], [0,1,2], [[1,2],[3,4],[5,6]])
