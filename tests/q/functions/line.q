p = line([0,1], [1,0], "Color", "r")
print p.file
% out: plot_001.svg
