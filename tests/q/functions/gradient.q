print gradient([1,4,9]), " ", gradient([1,4,9],2)
[gx,gy] = gradient([[1,4,9],[2,5,11]])
print gx, gy
% out: [3, 4, 5] [1.5, 2, 2.5]
% out: [[3, 4, 5],
% out:  [3, 4.5, 6]][[1, 1, 2],
% out:  [1, 1, 2]]
