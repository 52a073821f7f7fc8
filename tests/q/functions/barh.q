print barh([3,1,2]).file, " ", barh([1,5],[2,4],"r").file
% out: plot_001.svg plot_002.svg
