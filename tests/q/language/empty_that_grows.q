% A variable that is given nothing but an empty array grows as if nothing else made it, and takes elements out again.
function y = odd(n)
    y = []
    for k = 0..n
        if mod(k, 2) == 1
            y[idivide(k, 2)] = k    % warning[Q0127]: 'y' grows with what is stored in it
        endif
    end
end
print odd(7)
list = {}
list[1] = "b"   % warning[Q0127]: 'list' grows
list[0] = 1
list[end+1] = [1,2]
print list
x = []
x[2] = 1    % warning[Q0127]: 'x' grows
x[0] = []
print x
% What has elements keeps its size.
v = [1,2]
try
    v[2] = 3
catch e
    print e
end
m = eye(3)
m[1,:] = []
m[:,[0,2]] = []
print m
s.list = [1,2,3]    % warning[Q0129]: 's' begins as an object without fields
s.list[1] = []
print s.list
% out: [1, 3, 5, 7]
% out: {1, "b", [1, 2]}
% out: [0, 1]
% out: index 2 is out of bounds (0..1) in 'v'
% out: [[0],
% out:  [0]]
% out: [1, 3]
