print round(1e6 .* sRGB_decode([0, 0.02, 0.5, 1])), " ", sum(abs(sRGB_decode(0.3) - rgb2lin(0.3)))
% out: [0, 1548, 214041, 1000000] 0
