% args: --device host
print isnan(sparse([0,1],[0,1],[nan,1])*[1,1])
% out: [1, 0]
