% An array becomes longer where an assignment says `end+1`: by an element, a row, a column, a slice.
x = []
for k = 0..4
    x[end+1] = k^2
end
print x
x[end+1] = 0.5
print x, " ", numel(x)
A = [[1,2],[3,4]]
A[end+1,:] = [5,6]
A[:,end+1] = [7,8,9]
print A
A[:,end+1] = transpose([1,1,1])
print size(A)
B = []
B[end+1,:] = [1,2,3]
B[end+1,:] = [4,5,6]
print B
c = {}
c[end+1] = "text"
c[end+1] = [1,2]
c[end+1] = {3}
print numel(c), " ", c[0], " ", c[1], " ", c[end][0]
column = transpose([1,2])
column[end+1] = 3
print size(column)
s = object()
s.list = [1]
s.list[end+1] = 2
print s.list
list = {[1], [2]}
list[1][end+1] = 3
print list[1]
z = [1,2]
z[end+1] = complex(0,1)
print z
% The longer array is another one: who holds the old one keeps it.
function y = longer(v)
    v[end+1] = 9
    y = v
end
old = [1,2]
new = longer(old)
other = old
old[end+1] = 3
print old, " ", new, " ", other
% What is given elements keeps its size otherwise.
x = copy(x)
try
    x[numel(x)] = 1
catch e
    print e
end
try
    A[end+1,:] = [1,2]
catch e
    print e
end
try
    x[end+1] = [1,2]
catch e
    print e
end
try
    x[end+2] = 1
catch e
    print e
end
try
    A[end+1] = 1
catch e
    print e
end
% out: [0, 1, 4, 9, 16]
% out: [0, 1, 4, 9, 16, 0.5] 6
% out: [[1, 2, 7],
% out:  [3, 4, 8],
% out:  [5, 6, 9]]
% out: [3, 4]
% out: [[1, 2, 3],
% out:  [4, 5, 6]]
% out: 3 text [1, 2] 3
% out: [3, 1]
% out: [1, 2]
% out: [2, 3]
% out: [1+0j, 2+0j, 0+1j]
% out: [1, 2, 3] [1, 2, 9] [1, 2]
% out: index 6 is out of bounds (0..5) in 'x'
% out: 'append' of sizes 3x4 and 1x2
% out: argument 2 of 'append' needs one element, not a 'vec'
% out: index 7 is out of bounds (0..5) in 'x'
% out: argument 1 of 'append' needs a vector or a cell: say the dimension, as in A[end+1,:] = row, not a 'mat'
