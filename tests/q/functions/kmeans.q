[g, m] = kmeans([[0,0],[1,0],[10,10],[11,10]], 2)
print g[0,0] == g[1,0], g[2,0] == g[3,0], g[0,0] != g[3,0]
print sort(m[:,0])
% out: 111
% out: [[0.5],
% out:  [10.5]]
[g,m] = kmeans(transpose([0,1,10,11]), 2, "distance", "sqEuclidean", "Replicates", 6)
print sum(m)
try
    kmeans(transpose([0,1]), 2, "no", 1)
catch e
    print e
end
% out: 11
% out: kmeans knows no option "no": MaxIter, Replicates or Distance
