x = 1 + mod(reshape(0..63, [8,8]) .* 7, 13)
mask = [[0,1,0],[1,4,1],[0,1,0]] ./ 8
blurred = real(ifft2(fft2(x) .* psf2otf(mask, [8,8])))
print mean(abs(deconvlucy(blurred, mask, 20) - x)) < 0.5 * mean(abs(blurred - x))
% out: 1
