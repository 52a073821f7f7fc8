x = rand(3,4,3)
print max(abs(ycbcr2rgb(rgb2ycbcr(x)) - x)) < 0.0001, " ", ycbcr2rgb(rgb2ycbcr(ones(1,1,3)))
% out: 1 [[[1, 1, 1]]]
