[a,b] = deal(0)
[c,d] = deal(1,"two")
print a, " ", b, " ", c, " ", d
try
    [a,b] = deal(1,2,3)
catch e
    print e
end
% out: 0 0 1 two
% out: deal: 3 values for 2 results
