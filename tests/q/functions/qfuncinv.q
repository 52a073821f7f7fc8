print round(qfuncinv(0.1) .* 100)
% out: 128
