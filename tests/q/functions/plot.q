o = plot([0,1,4,9])   % note[Q0415]: plot: the picture is in 'plot_001.svg'
print o.file, exists(o.file)
% out: plot_001.svg1
