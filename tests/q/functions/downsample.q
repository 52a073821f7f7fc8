% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
print downsample([1,2,3,4,5],2)
print downsample([1,2,3,4,5],2,1)
% out: [1, 3, 5]
% out: [2, 4]
