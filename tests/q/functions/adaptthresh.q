t = adaptthresh(255*ones(32, 48), 0.7)
print size(t), round(t[5, 5]*1000), round(adaptthresh(51*ones(8,8))[0,0]*1000), round(adaptthresh(51*ones(8,8), 0.5, "ForegroundPolarity", "dark")[0,0]*1000)
x = zeros(32, 32)
x[16, 16] = 255
t = adaptthresh(x)
print sum(t > 0), " ", round(max(t)*1000)
% out: [32, 48]900220180
% out: 25 44
