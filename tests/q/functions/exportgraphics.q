plot([0,1,4])
exportgraphics(gcf(), "squares.png")
