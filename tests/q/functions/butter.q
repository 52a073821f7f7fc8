% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
[b,a] = butter(3,0.3)
print r(b)," ",r(a)
[b,a] = butter(2,0.3,"high")
print r(b)," ",r(a)
[b,a] = butter(2,[0.2,0.5])
print r(b)," ",r(a)
[b,a] = butter(2,[0.2,0.5],"stop")
print r(b)," ",r(a)
try
    [b, a] = butter(2, 0.3, "nothing")
catch message
    print message
end
% out: [0.0495, 0.1486, 0.1486, 0.0495] [1, -1.1619, 0.6959, -0.1378]
% out: [0.505, -1.01, 0.505] [1, -0.7478, 0.2722]
% out: [0.1311, 0, -0.2622, 0, 0.1311] [1, -1.4001, 1.2722, -0.6584, 0.2722]
% out: [0.505, -1.0292, 1.5344, -1.0292, 0.505] [1, -1.4001, 1.2722, -0.6584, 0.2722]
% out: the kind of a filter is "low", "high", "bandpass" or "stop"
