% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(hamming(5))
print r(hamming(1))
% out: [0.08, 0.54, 1, 0.54, 0.08]
% out: [1]
