% Indexing
A = reshape(0..23, 4, 6)
print A[1,2], " ", A[[1,2]], " ", A[8]
print A[1..2, [0,5]]
print A[:,1]
print A[3,:]
print size(A[:, 0..1..3]), " ", size(A[0..-1,:])
v = 10..10..50
print v[[4,0]], " ", v[v > 20], " ", v[1..3]
print A[A > 20]
v[0..1] = [7, 8]
print v
v[v > 30] = 0
print v
A[2,:] = 1
print A[2,0..5]
B = zeros(2,2,2)
B[1,:,:] = [[1,2],[3,4]]
print B
print size(zeros(0)), " ", size([]), " ", isempty([])
s = "hello"
print s[0], s[1..3], numel(s)
c = {1, {2, 3}, "x"}
print c[1][1], " ", c[2], " ", numel(c)
c[1][0] = "new"
print c
m = eye(3) == 1
print m
print ndims(5), " ", size(5), " ", numel(5)
x = zeros(2,3,4)
x[1,2,3] = 5
print x[...[1,2], 3], " ", sum(x)
x[0,0,:] = [1,2,3,4]
print x[0,0,:], " ", size(x[0,:,:]), " ", size(x[:,0,0])
% out: 8 8 8
% out: [[6, 11],
% out:  [12, 17]]
% out: [[1],
% out:  [7],
% out:  [13],
% out:  [19]]
% out: [18, 19, 20, 21, 22, 23]
% out: [4, 4] [0, 6]
% out: [50, 10] [30, 40, 50] [20, 30, 40]
% out: [21, 22, 23]
% out: [7, 8, 30, 40, 50]
% out: [7, 8, 30, 0, 0]
% out: [1, 1, 1, 1, 1, 1]
% out: [[[0, 0],
% out:   [0, 0]],
% out:  [[1, 2],
% out:   [3, 4]]]
% out: [1, 0] [0, 0] 1
% out: hell5
% out: 3 x 3
% out: {1, {"new", 3}, "x"}
% out: [[1, 0, 0],
% out:  [0, 1, 0],
% out:  [0, 0, 1]]
% out: 0 [1, 1] 1
% out: 5 5
% out: [1, 2, 3, 4] [3, 4] [2, 1]
