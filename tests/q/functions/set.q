p = plot([0,1,4])
set(gca(), "XLim", [0,1], "YLim", [0,2], "Title", "t", "XLabel", "x", "YLabel", "y", "FontSize", 9)
print p.file
% out: plot_001.svg
