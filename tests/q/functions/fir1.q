% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print abs(r(fir1(4,0.5)))
print r(abs(fir1(4,0.5,"high")))
print r(fir1(4,[0.3,0.6]))
print r(fir1(4,[0.3,0.6],"stop"))
print r(fir1(4, 0.5, rectwin(5))), r(fir1(4, 0.5, "high", hann(5)))
try
    b = fir1(4, 0.5, rectwin(4))
catch message
    print message
end
try
    b = fir1(4, 0.5, "nothing")
catch message
    print message
end
% out: [0, 0.2037, 0.5926, 0.2037, 0]
% out: [0, 0.2037, 0.5926, 0.2037, 0]
% out: [-0.0568, 0.0708, 0.8698, 0.0708, -0.0568]
% out: [0.0284, -0.0354, 1.014, -0.0354, 0.0284]
% out: [0, 0.28, 0.4399, 0.28, 0][0, -0.1945, 0.611, -0.1945, 0]
% out: fir1: the window needs n+1 points
% out: fir1: the kind is "low", "high", "bandpass" or "stop"
