[x,v] = fminsearch(x -> (x[0]-1)^2 + (x[1]-2)^2, [0,0])
print round(100*x), " ", v < 0.0001, " ", round(100*fminsearch(x -> abs(x[0]-3), [1]))
% out: [100, 200] 1 [300]
