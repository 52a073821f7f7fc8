print errorbar([0,1,2],[1,4,2],[0.5,0.2,0.3]).file, " ", errorbar([1,4,2],[0.5,0.2,0.3]).file
% out: plot_001.svg plot_002.svg
