% A variable that nothing but stores of elements makes begins empty and becomes as large as they need; between them are zeros.
for i = 0..2
    for j = 0..3
        D[i,j] = 10*i + j   % warning[Q0127]: 'D' grows with what is stored in it
    end
end
print D
x[3] = 7    % warning[Q0127]: 'x' grows
x[1] = 2.5
print x, " ", numel(x)
for k = 0..2
    columns[:,k] = transpose([k,k+1])   % warning[Q0127]: 'columns' grows
    rows[k,:] = [k,k+1]     % warning[Q0127]: 'rows' grows
    cells[k] = {k}      % warning[Q0127]: 'cells' grows
    names[k] = "n"      % warning[Q0127]: 'names' grows
    cube3[k,1,:] = [1,2]    % warning[Q0127]: 'cube3' grows
end
print columns, " ", rows, " ", numel(cells), " ", names[2], " ", size(cube3)
z[2] = complex(1,2)     % warning[Q0127]: 'z' grows
z[0] = 4
print z
w[0] = 1    % warning[Q0127]: 'w' grows
w[1] = complex(0,1)
print w
p[2..4] = [1,2,3]   % warning[Q0127]: 'p' grows
p[[0,6]] = 9
print p
function y = squares(n)
    for k = 0..n - 1
        y[k] = k^2  % warning[Q0127]: 'y' grows
        total[0] = k    % warning[Q0127]: 'total' grows
    end
end
print squares(4)
% Who holds the array keeps what it was.
a[0] = 1    % warning[Q0127]: 'a' grows
b = a
a[2] = 3
print a, " ", b
% Arrays that are made otherwise keep their size.
m = zeros(2,2)
try
    m[2,0] = 1
catch e
    print e
end
try
    x["a"] = 1
catch e
    print e
end
try
    p[0..1] = [1,2,3]
catch e
    print e
end
try
    p[8..9] = [1,2,3]
catch e
    print e
end
try
    D[40] = 1
catch e
    print e
end
print numel(p), " ", size(D)
n = 0
for k = 0..19999
    long[k] = k     % warning[Q0127]: 'long' grows
end
print sum(long)/1e6
% out: [[0, 1, 2, 3],
% out:  [10, 11, 12, 13],
% out:  [20, 21, 22, 23]]
% out: [0, 2.5, 0, 7] 4
% out: [[0, 1, 2],
% out:  [1, 2, 3]] [[0, 1],
% out:  [1, 2],
% out:  [2, 3]] 3 n [3, 2, 2]
% out: [4+0j, 0+0j, 1+2j]
% out: [1+0j, 0+1j]
% out: [9, 0, 1, 2, 3, 0, 9]
% out: [0, 1, 4, 9]
% out: [1, 0, 3] [1]
% out: index 2 is out of bounds (0..1) in 'm'
% out: an array grows at indices from 0 on
% out: cannot assign 1x3 values to a selection of size 2
% out: cannot assign 1x3 values to a selection of size 2
% out: index 40 is out of bounds (0..11) in an array of size 3x4
% out: 7 [3, 4]
% out: 199.99
