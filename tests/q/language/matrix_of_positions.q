% Elements of a vector at a matrix of positions lie as the positions do; a mask gives a vector.
v = [10,20,30,40]
M = [[0,1],[3,2]]
w = int8([5,6,7,8])
print v[M], w[M + 0.0]
print v[reshape(M, 2, 2, 1)], v[[0,3]]
u = v[M] .* 2
print u[1,0]
c = {"a","b","c","d"}
print size(c[M])
try
    print v[M + 2]
catch e
    print e
endtry
v[M] = [[1,2],[3,4]]
print v
% out: [[10, 20],
% out:  [40, 30]][[5, 6],
% out:  [8, 7]]
% out: [[10, 20],
% out:  [40, 30]][10, 40]
% out: 80
% out: [2, 2]
% out: index 5 is out of bounds (0..3) in 'v'
% out: [1, 2, 4, 3]
