plot([0,1,4])
figure()
plot([2,1])
close()
title("the first one")
close("all")
print exists("plot_001.svg"), exists("plot_002.svg")
% out: 11
