x = [3,-4,0]
print norm(x,1), " ", norm(x,2), " ", norm(x,inf), " ", norm(x,-inf), " ", norm(x,"Inf"), " ", norm([3j,4],1)
m = [[1,2],[3,4]]
print norm(m,1), " ", norm(m,inf), " ", norm(m,"fro"), " ", norm(m,2), " ", norm(x,3)
try
    print norm(m,3)
catch e
    print e.message
end
try
    print norm(m,"max")
catch e
    print e.message
end
% out: 7 5 4 0 4 7
% out: 6 7 5.47723 5.46499 4.49794
% out: argument 2 of 'norm' needs 1, 2, inf or "fro", as the norms of matrices have, not a 'int'
% out: argument 2 of 'norm' needs a number, inf or "fro", not a 'string'
