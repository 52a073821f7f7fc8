o = plot([1,2])   % note[Q0415]: plot: the picture is in 'plot_001.svg'
