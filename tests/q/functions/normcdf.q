print normcdf(0), " ", round(normcdf([1.96,-1.96])*1000), " ", round(normcdf(3,1,2)*1000)
% out: 0.5 [975, 25] 841
