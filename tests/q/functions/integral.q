print round(1000*integral(x -> x.^2, 0, 3)), " ", round(10000*integral(x -> exp(-x.^2), -inf, inf)), " ", round(10000*integral(x -> sqrt(x), 1, 0)), " ", integral(x -> x, 2, 2)
% out: 9000 17725 -6667 0
