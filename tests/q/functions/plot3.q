t = 0..0.1..6
p = plot3(cos(t), sin(t), t)
print p.file
% out: plot_001.svg
