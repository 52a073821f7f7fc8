% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
print bartlett(5)
% out: [0, 0.5, 1, 0.5, 0]
