print imhmin([5,1,4], 2)
% out: [5, 3, 4]
