print max(abs(czt([1,2,3]) - fft1([1,2,3]))) < 1e-4, " ", round(abs(czt([1,2,3], 2, exp(-0.5j), 1))*100)
% out: 1 [600, 559]
