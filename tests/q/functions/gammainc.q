print gammainc(1,2), " ", gammainc(1,2,"upper"), " ", round(1e5*gammainc([0,0.5,10],1)), " ", gammainc(inf,3), " ", gammainc(nan,1)
% out: 0.264241 0.735759 [0, 39347, 99995] 1 NaN
