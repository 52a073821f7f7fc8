print besselk(0,1), " ", round(1e5*besselk(1.5,[1,5])), " ", besselk(1,0)
% out: 0.421024 [92214, 453] Inf
