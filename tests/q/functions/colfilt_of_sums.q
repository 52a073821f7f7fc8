% A function that makes a number of a whole matrix is called for each column.
x = reshape(0..11, 3, 4)
print colfilt(x, [3,3], "sliding", sum)
print colfilt(x, [1,3], "sliding", max)
% out: [[10, 18, 24, 18],
% out:  [27, 45, 54, 39],
% out:  [26, 42, 48, 34]]
% out: [[1, 2, 3, 3],
% out:  [5, 6, 7, 7],
% out:  [9, 10, 11, 11]]
