x = 0..63
y = istft(stft(x, hann(16) + 0.1, 8), hann(16) + 0.1, 8)
print size(y), " ", max(abs(x - y)) < 1e-3
% out: [1, 64] 1
