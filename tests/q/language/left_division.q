% `A \ b` is the x with A*x = b, in the sense of least squares if A is not square, and the quotient b/A for numbers.
A = [[2,1],[1,3]]
print A \ [5,10]
print A \ transpose([5,10])
print A \ [[5,2],[10,1]]
print round([[1,0],[0,1],[1,1]] \ [1,2,3])
print 4 \ 10, " ", 4 \ [8,12]
% As strong as a product, from left to right.
print 2*A \ [5,10]*2
print 1 + A \ [5,10] ./ 5
S = sparse([0,1,2],[0,1,2],[1,2,4])
print S \ [1,2,3]
z = complex([[2,0],[0,2]],[[0,1],[-1,0]])
x = z \ [1,2]
print max(abs(z*transpose(x) - transpose([1,2]))) < 0.0001
try
    x = [[1,2],[2,4]] \ [1,2]
catch e
    print e
end
% out: [1, 3]
% out: [[1],
% out:  [3]]
% out: [[1, 1],
% out:  [3, 0]]
% out: [1, 2]
% out: 2.5 [2, 3]
% out: [1, 3]
% out: [1.2, 1.6]
% out: [1, 1, 0.75]
% out: 1
% out: the system has no unique solution: its matrix is singular
