% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(gausswin(5))
% out: [0.0439, 0.4578, 1, 0.4578, 0.0439]
