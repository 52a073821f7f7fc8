print bessely(0,1), " ", round(1e5*bessely([0,1,2.5],3)), " ", bessely(1,0)
% out: 0.088257 [37685, 32467, -36904] -Inf
