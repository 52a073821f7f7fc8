print removed([1,2,3,4], 1), removed(eye(3), ":", 0), removed({1,"two"}, 0), removed("text", 0)
x = reshape(0..11, 3, 4)
x[:,[0,2]] = []
print x
x[1,:] = []
print x
v = 1..6
v[v > 3] = []
v[0] = []
print v
s = "text"
s[0..1] = []
print s
c = {1,2,3}
c[1] = []
print c
try
    x[0,0] = []
catch e
    print e
end
try
    v[9] = []
catch e
    print e
end
% out: [1, 3, 4][[0, 0],
% out:  [1, 0],
% out:  [0, 1]]{"two"}ext
% out: [[1, 3],
% out:  [5, 7],
% out:  [9, 11]]
% out: [[1, 3],
% out:  [9, 11]]
% out: [2, 3]
% out: xt
% out: {1, [], 3}
% out: elements can be taken out along one dimension only
% out: index 9 is out of bounds (0..1) in array
