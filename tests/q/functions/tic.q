tic()
print toc("") >= 0
% out: 1
