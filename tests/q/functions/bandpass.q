t = 0..399
w = bandpass(sin(0.1*t) + sin(t) + sin(2.5*t), [0.2,0.5]) - sin(t)
print max(abs(w[180..220])) < 0.01
try
    bandpass(t, 0.3)
catch e
    print e
end
% out: 1
% out: bandpass: one edge, or two of a band
