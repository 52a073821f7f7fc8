plot([0,1,4])
set(gca(), "FontSize", 12)
print gca().kind
% out: axes
