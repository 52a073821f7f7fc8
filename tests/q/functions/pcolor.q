print pcolor([[0,1],[2,3]]).file, " ", pcolor(0..1,0..1,[[0,1],[2,3]]).file
% out: plot_001.svg plot_002.svg
