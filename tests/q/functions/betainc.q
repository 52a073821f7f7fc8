print betainc(0.5,1,2), " ", round(1e5*betainc([0,0.25,1],2,3)), " ", betainc(0.25,2,3,"upper"), " ", betainc(2,1,1)
% out: 0.75 [0, 26172, 100000] 0.738281 NaN
