% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(hann(5))
print r(hann(4,"periodic"))
print hann(1)
% out: [0, 0.5, 1, 0.5, 0]
% out: [0, 0.5, 1, 0.5]
% out: [1]
