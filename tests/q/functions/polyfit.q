print round(1000*polyfit([0,1,2],[1,3,5],1)), " ", round(1000*polyfit([0,1,2,3],[0,1,4,9],2))
[p, s, mu] = polyfit([0,2,4,6], [1,5,9,13], 1)
print round(1000*p), " ", s.df, " ", round(1000*s.normr), " ", round(1000*mu), " ", round(polyval(p, 10, s, mu))
[p, s] = polyfit([0,1,2,3], [0,1,0,1], 1)
print round(1000*p), " ", round(1000*s.normr)
% out: [2000, 1000] [1000, 0, 0]
% out: [5164, 7000] 2 0 [3000, 2582] 21
% out: [200, 200] 894
