% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
print real(ifft(fft([1,2,3])))
% out: [1, 2, 3]
