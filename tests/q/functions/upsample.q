% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
print upsample([1,2],3)
% out: [1, 0, 0, 2, 0, 0]
