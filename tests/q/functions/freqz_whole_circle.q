% Compared with scipy.signal.freqz(…, whole=True).
[h, w] = freqz([1,0.5], [1,-0.2], 4, "whole")
print round(abs(h) .* 10000) ./ 10000
print round(w .* 10000) ./ 10000
[h, w] = freqz([1,0.5], [1,-0.2], "whole", 4)
print round(w .* 10000) ./ 10000
[h, w] = freqz([1,0.5], 1, 4, "whole", 100)
print w
[h, w] = freqz([1,0.5], 1, 4, 100, "half")
print w
[h, w] = freqz([1,0.5], 1, "whole")
print size(w)
try
    freqz([1,0.5], 1, "hole")
catch e
    print e
endtry
% out: [1.875, 1.0963, 0.4167, 1.0963]
% out: [0, 1.5708, 3.1416, 4.7124]
% out: [0, 1.5708, 3.1416, 4.7124]
% out: [0, 25, 50, 75]
% out: [0, 12.5, 25, 37.5]
% out: [1, 512]
% out: freqz: 'whole' or 'half' is meant, not 'hole'
