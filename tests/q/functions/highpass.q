t = 0..199
w = highpass(sin(0.1*t) + sin(2*t), 0.3) - sin(2*t)
print max(abs(w[60..140])) < 0.01
% out: 1
