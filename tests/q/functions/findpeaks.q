% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
[p,at] = findpeaks([0,2,1,3,3,0,5,4])
print p,at
[p,at] = findpeaks([0,2,1,3,0,5,4],2.5)
print p,at
[p,at] = findpeaks([0,2,1,3,0,0,5,4],0,3)
print p,at
% out: [2, 3, 5][1, 3, 6]
% out: [3, 5][3, 5]
% out: [3, 5][3, 6]
