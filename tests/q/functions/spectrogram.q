% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(abs(spectrogram([1,2,3,4,5,4,3,2,1,2], 4)))
% out: [[4.25, 7.49, 5.95, 2.71],
% out:  [2.5419, 4.5442, 3.4892, 1.4783],
% out:  [0.53, 0.69, 0.53, 0.69]]
