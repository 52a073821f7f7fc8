p = plot([0,1,4])
sgtitle("squares", "FontSize", 9)
print p.file
% out: plot_001.svg
