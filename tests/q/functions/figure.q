a = figure()
plot([0,1,4])
b = figure()
p = plot([3,1,2])
figure(a)
title("first")
print a, b, p.file, exists("plot_001.svg")
% out: 12plot_002.svg1
