x = zeros(1,3,3)
x[0,0,0] = 1
x[0,1,:] = 1
print round(rgb2lab(x)[0,0,:]), " ", round(rgb2lab(x)[0,1,:]), " ", round(rgb2lab(x)[0,2,:])
% out: [53, 80, 67] [100, 0, 0] [0, 0, 0]
