% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(kaiser(5,3))
% out: [0.2049, 0.7269, 1, 0.7269, 0.2049]
