print round(ellipke(0.5) .* 1000)
% out: [1854]
