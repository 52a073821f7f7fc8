% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
print medfilt1([1,9,3,4],3)
% out: [1, 3, 4, 3]
