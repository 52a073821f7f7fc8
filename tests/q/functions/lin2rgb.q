print round(1e6 .* lin2rgb([0, 0.002, 0.2, 1])), " ", round(1e6 .* lin2rgb(0.5))
% out: [0, 25840, 484529, 1000000] 735357
