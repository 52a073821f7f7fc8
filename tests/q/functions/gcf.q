plot([0,1,4])
saveas(gcf(), "gcf.png")
print exists("gcf.png"), gcf().kind
% out: 1figure
