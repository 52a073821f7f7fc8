[r,p,k] = residue([1,2,3],[1,4,3])
print r, " ", p, " ", k
try
    r = residue([1],[1,2,1])
catch e
    print e.message
end
% out: [-3, 1] [-3, -1] [1]
% out: residue: a pole occurs more than once
