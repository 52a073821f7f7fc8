% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(unwrap([3,-3,3.1,-3]))
% out: [3, 3.2832, 3.1, 3.2832]
