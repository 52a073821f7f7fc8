p = plot([0,1,4])
suptitle("squares")
print p.file
% out: plot_001.svg
