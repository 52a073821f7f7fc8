t = linspace(0,1,64)
clean = sin(2*pi*t)
seed(3)
noisy = clean + 0.1*randn(1,64)
y = wdenoise(noisy,2)
print size(y), " ", norm(y-clean) < norm(noisy-clean), " ", max(abs(wdenoise(clean,1,"Wavelet","haar")-clean)) < 0.2
% out: [1, 64] 1 1
