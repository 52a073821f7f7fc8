% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
print square([0,2,4])
% out: [1, 1, -1]
