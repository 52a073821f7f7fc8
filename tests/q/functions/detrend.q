% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(detrend([1,2,4]))
print r(detrend([1,2,4],"constant"))
% out: [0.1667, -0.3333, 0.1667]
% out: [-1.3333, -0.3333, 1.6667]
