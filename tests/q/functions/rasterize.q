p = imshow(128.*ones(4,6))
x = p.rasterize()
print type(x), " ", size(x), " ", x[0,0,0]
% out: cube[uint8] [4, 6, 3] 128
