% A slope of light, on it bright squares: one level misses some, levels of neighbourhoods find them.
[x, y] = meshgrid(0..63, 0..63)
picture = 20 + 2*x
picture = picture .* (1 + 0.8*(mod(x, 16) < 3) .* (mod(y, 16) < 3))
found = imbinarize(picture, "adaptive", "Sensitivity", 0.4)
print found[0..4, 32..36]
print isequal(imbinarize(picture, "global"), imbinarize(picture)), isequal(imbinarize(picture, 0.5 + 0*picture), imbinarize(picture, 0.5))
dark = imbinarize(255 - picture, "adaptive", "ForegroundPolarity", "dark", "Sensitivity", 0.4)
print size(dark)
% out: [[1, 1, 1, 0, 0],
% out:  [1, 1, 1, 0, 0],
% out:  [1, 1, 1, 0, 0],
% out:  [0, 0, 0, 0, 0],
% out:  [0, 0, 0, 0, 0]]
% out: 11
% out: [64, 64]
