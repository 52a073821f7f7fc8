x = ones(2,2,3)
x[:,:,1] = 5
y = imfilter(x, ones(1,2))
print y[0,0,0..2]
% out: [2, 10, 2]
