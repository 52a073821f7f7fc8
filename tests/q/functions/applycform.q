x = zeros(1,2,3)
x[0,0,:] = 255
x[0,1,0] = 255
lab = applycform(x, makecform("srgb2lab"))
back = applycform(lab, makecform("lab2srgb"))
print round(lab[0,0,0]), " ", round(lab[0,1,0]), " ", max(abs(back - x)) < 0.1
% out: 100 53 1
