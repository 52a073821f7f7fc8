% Worked out by hand, or from the formula in the function's description.
print imhist([1,1,2])[0..3]
% out: [0, 2, 1, 0]
[h,v] = imhist([1,1,2],4)
print h, " ", v
% out: [3, 0, 0, 0] [0, 85, 170, 255]
