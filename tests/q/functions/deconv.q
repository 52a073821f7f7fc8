% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
[q,s] = deconv([1,3,2,5],[1,1])
print q,s
print deconv([2,4], 2)
% out: [1, 2, 0][0, 0, 0, 5]
% out: [1, 2]
