% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print abs(r(sinc([0,0.5,1])))
% out: [1, 0.6366, 0]
