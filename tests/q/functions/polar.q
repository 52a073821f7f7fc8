t = 0..0.1..6.3
print polar(t,1+cos(t)).file, " ", polar(t,t,"r--").file
% out: plot_001.svg plot_002.svg
