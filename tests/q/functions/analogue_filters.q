% Filters in radians per second; the numbers are those of Octave, and of SciPy for the elliptic one, with zeros before the coefficients of the numerator as in MATLAB.
[b, a] = butter(2, 100, "s")
printf("%.4g %.4g\n", b, a)
[b, a] = butter(2, 100, "high", "s")
printf("%.4g %.4g\n", b, a)
[b, a] = butter(2, [100, 400], "s")
printf("%.4g %.4g\n", b, a)
[b, a] = butter(1, [100, 400], "stop", "s")
printf("%.4g %.4g\n", b, a)
[b, a] = cheby1(3, 1, 100, "s")
printf("%.4g %.4g\n", b, a)
[b, a] = cheby1(2, 1, 100, "high", "s")
printf("%.4g %.4g\n", b, a)
[b, a] = cheby2(3, 20, 100, "s")
printf("%.4g %.4g\n", b, a)
[b, a] = cheby2(2, 20, 100, "s")
printf("%.4g %.4g\n", b, a)
[b, a] = ellip(3, 1, 20, 100, "s")
printf("%.4g %.4g\n", b, a)
% out: [0, 0, 1e+04] [1, 141.4, 1e+04]
% out: [1, 0, 0] [1, 141.4, 1e+04]
% out: [0, 0, 9e+04, 0, 0] [1, 424.3, 1.7e+05, 1.697e+07, 1.6e+09]
% out: [1, 0, 4e+04] [1, 300, 4e+04]
% out: [0, 0, 0, 4.913e+05] [1, 98.83, 1.238e+04, 4.913e+05]
% out: [0.8913, 0, 0] [1, 99.57, 9070]
% out: [0, 30.15, 0, 4.02e+05] [1, 140.5, 9421, 4.02e+05]
% out: [0.1, 0, 2000] [1, 60, 2000]
% out: [0, 32.06, 0, 6.647e+05] [1, 96.66, 1.241e+04, 6.647e+05]
