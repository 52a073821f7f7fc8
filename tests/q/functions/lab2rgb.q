x = rand(3,4,3)
print max(abs(lab2rgb(rgb2lab(x)) - x)) < 0.001, " ", size(lab2rgb(x)), " ", round(lab2rgb(rgb2lab(ones(1,1,3))))
% out: 1 [3, 4, 3] [[[1, 1, 1]]]
