% A column of numbers names elements of a column; a vector is a position, as ever.
[u,i,j] = unique(transpose([3,1,2,3,1]))
x = transpose([3,1,2,3,1])
print transpose(x[i]), " ", transpose(u[j]), " ", size(u[j])
x[i] = 0
print transpose(x), " ", u[[2,0]]
try
    print x[transpose([1,9])]
catch e
    print e
end
% out: [1, 2, 3] [3, 1, 2, 3, 1] [5, 1]
% out: [0, 0, 0, 3, 1] 3
% out: index 9 is out of bounds (0..4) in 'x'
