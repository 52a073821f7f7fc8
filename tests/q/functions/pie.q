print pie([1,2,3]).file
% out: plot_001.svg
