print round(1e6 .* sRGB_encode([0, 0.002, 0.2, 1])), " ", sum(abs(sRGB_encode(0.3) - lin2rgb(0.3)))
% out: [0, 25840, 484529, 1000000] 0
