t = 0..399
w = bandstop(sin(0.1*t) + sin(t), [1600,4000], 16000) - sin(0.1*t)
print max(abs(w[180..220])) < 0.01
% out: 1
