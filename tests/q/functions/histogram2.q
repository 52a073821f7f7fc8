[h, counts] = histogram2([0,1,1,3], [0,1,1,2], 3)
print counts
% out: [[1, 0, 0],
% out:  [0, 2, 0],
% out:  [0, 0, 1]]
[h, counts] = histogram2([0,1,nan,3], [0,1,1,2], [2,3])
print counts
% out: [[1, 1, 0],
% out:  [0, 0, 1]]
try
    histogram2([1,2],[1])
catch e
    print e
end
% out: histogram2: as many x as y are needed
