% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(imag(hilbert([1,0,-1,0.5])))
print r(imag(hilbert([1,2,3])))
% out: [0.25, 1, -0.25, -1]
% out: [0.5774, -1.1547, 0.5774]
