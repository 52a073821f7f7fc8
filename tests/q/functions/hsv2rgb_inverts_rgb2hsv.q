seed(1)
x = rand(4,5,3)
print max(abs(hsv2rgb(rgb2hsv(x))-x)) < 0.00001
% out: 1
