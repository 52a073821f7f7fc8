x = reshape(mod(0..59,256),4,5,3)
for f={"q_a.png","q_a.ppm","q_a.bmp","q_a.tif"}
imwrite(f, x)
print all(imread(f) == x)
endfor
% out: 1
% out: 1
% out: 1
% out: 1
