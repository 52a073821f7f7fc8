print round(transpose(tukeywin(6, 0.5)) .* 1000), transpose(tukeywin(3, 0)), round(transpose(tukeywin(3, 1)))
% out: [0, 905, 1000, 1000, 905, 0][1, 1, 1][[0],
% out:  [1],
% out:  [0]]
