t = 0..199
w = lowpass(sin(0.1*t) + sin(2*t), 0.2) - sin(0.1*t)
print max(abs(w[50..150])) < 0.01
% out: 1
