% A range alone in the brackets selects among the elements of a column, as in a vector, and gives a column.
c = transpose(1..6)
print size(c[1..3]), " ", transpose(c[1..3]), " ", transpose(c[5..-2..0]), " ", transpose(c[end-1..end])
c[0..1] = 0
c[4..5] = transpose([50,60])
c[2..3] = [30,40]
print transpose(c)
s = zeros(4,1)
for i = 0..3
    s[i] = sum(c[i..i+2])
end
print transpose(s)
% In other matrices a range is a position, as is a list in a column.
A = [[1,2],[3,4]]
print A[0..1], " ", c[[3,0]]
try
    print c[4..6]
catch e
    print e
end
b = zeros(1,4)
b[:] = [[1,2],[3,4]]
print b
% falls back: the for-loop
% out: [3, 1] [2, 3, 4] [6, 4, 2] [5, 6]
% out: [0, 0, 30, 40, 50, 60]
% out: [30, 70, 120, 150]
% out: 2 40
% out: index 6 is out of bounds (0..5) in 'c'
% out: [1, 2, 3, 4]
