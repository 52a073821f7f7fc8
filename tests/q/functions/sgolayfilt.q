% Compared with SciPy (savgol_filter).
print round(sgolayfilt([1,4,9,16,2,7,3], 2, 5) .* 1000)
% out: [-971, 7286, 10971, 10600, 7829, 5514, 2771]
