print patch([0,1,1],[0,0,1],"g","LineWidth",2).file
% out: plot_001.svg
