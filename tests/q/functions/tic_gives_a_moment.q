start = tic()
t = toc(start)
print t >= 0, t < 60000
% out: 11
