x = reshape(0..7,2,2,2)
print max(abs(ifft3(fft3(x))-x)) < 0.00001
% out: 1
