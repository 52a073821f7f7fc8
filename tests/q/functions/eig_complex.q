[V,d] = eig([[0,1],[-1,0]],"vector")
print d, " ", round(abs(V)*1000)
% out: [0-1j, 0+1j] [[707, 707],
% out:  [707, 707]]
