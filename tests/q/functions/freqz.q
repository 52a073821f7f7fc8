% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(abs(freqz([1,1],[1],2)))
print r(abs(freqz(2, 1, 3)))
[h, f] = freqz([1,1], 1, 4, 100)
print f
% out: [2, 1.4142]
% out: [2, 2, 2]
% out: [0, 12.5, 25, 37.5]
