print imhmax([1,5,2], 2)
% out: [1, 3, 2]
