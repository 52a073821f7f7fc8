p = lsqcurvefit((p,x) -> p[0]*exp(p[1]*x), [1,0], 0..5, 2*exp(0.3*(0..5)))
print round(p*1000)/1000
[p, least] = lsqcurvefit((p,x) -> p*x, 1, [1,2,3], [2,4,6])
print round(p*100)/100, " ", least < 1e-6
% out: [2, 0.3]
% out: 2 1
