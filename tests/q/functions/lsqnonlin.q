[x, least, r] = lsqnonlin(x -> [x[0] - 1, x[1] - 2, x[0] + x[1] - 5], [0,0])
print round(x*100)/100, " ", round(least*1000)/1000, " ", round(r*100)/100
p = lsqcurvefit((p,x) -> p[0]*exp(p[1]*x), [1,0], 0..5, 2*exp(0.3*(0..5)))
print round(p*1000)/1000
% A valley that bends.
print abs(lsqnonlin(x -> [1 - x[0], 10*(x[1] - x[0]^2)], [-1.2,1]) - 1) < 0.01
% Nothing to do.
print lsqnonlin(x -> x, [0,0])
% out: [1.67, 2.67] 1.333 [0.67, 0.67, -0.67]
% out: [2, 0.3]
% out: [1, 1]
% out: [0, 0]
