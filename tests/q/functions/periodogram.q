% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
[p,f] = periodogram([1,2,3,4.0,7], 10)
print r(p), f
% out: [5.78, 1.2836, 0.8364][0, 2, 4]
