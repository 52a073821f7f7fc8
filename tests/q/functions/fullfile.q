print fullfile("pictures", "lena.png")
% out: pictures/lena.png
