% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
[p,f] = pwelch([1,2,3,4,5,4,3,2,1,2,3,4,5,4,3,2.0], 8, 4, [], 100)
print r(p), f
% out: [0.5969, 0.4092, 0.0306, 0.0035, 0.0008][0, 12.5, 25, 37.5, 50]
