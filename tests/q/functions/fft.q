% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print abs(fft([1,0,0,0]))
print real(ifft(fft([1,2,3])))
print fft([[1,2],[3,4]])
print r(abs(fft([1,2],4)))
print abs(fft([1,2,3],2))
% out: [1, 1, 1, 1]
% out: [1, 2, 3]
% out: [[4+0j, 6+0j],
% out:  [-2+0j, -2+0j]]
% out: [3, 2.2361, 1, 2.2361]
% out: [3, 1]
