print round(tukeywin(6, 0.5) .* 1000), tukeywin(3, 0), round(tukeywin(3, 1)), tukeywin(1)
% out: [0, 905, 1000, 1000, 905, 0][1, 1, 1][0, 1, 0][1]
