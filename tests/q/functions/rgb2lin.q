% Light and the values that an sRGB picture stores, there and back.
x = [0, 0.02, 0.04045, 0.5, 1]
print round(1e6 .* rgb2lin(x))
print round(1e5 .* lin2rgb(rgb2lin(x)))
print round(1e6 .* rgb2lin(0.5)), " ", round(1e6 .* lin2rgb(0.2))
print sum(sum(abs(sRGB_decode(x) - rgb2lin(x)))), " ", sum(sum(abs(sRGB_encode(x) - lin2rgb(x))))
% out: [0, 1548, 3131, 214041, 1000000]
% out: [0, 2000, 4045, 50000, 100000]
% out: 214041 484529
% out: 0 0
