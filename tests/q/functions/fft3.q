x = ones(2,2,2)
y = fft3(x)
print y[0,0,0], " ", sum(abs(y))
% out: 8+0j 8
