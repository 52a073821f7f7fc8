x = mod(reshape(0..63, [8,8]) .* 7, 13)
mask = [[0,1,0],[1,4,1],[0,1,0]] ./ 8
blurred = real(ifft2(fft2(x) .* psf2otf(mask, [8,8])))
print max(abs(deconvwnr(blurred, mask, 1e-6) - x)) < 0.05
% out: 1
