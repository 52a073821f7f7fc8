x = rand(2,3,3)
print rgb2ycbcr(ones(1,1,3))[0,0,0], " ", size(rgb2ycbcr(x)), " ", max(abs(ycbcr2rgb(rgb2ycbcr(x)) - x)) < 0.0001
% out: 1 [2, 3, 3] 1
