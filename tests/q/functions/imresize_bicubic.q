print imresize([3,3,3],[2,6],"bicubic"), " ", size(imresize(ones(4,4,3),0.5))
% out: [[3, 3, 3, 3, 3, 3],
% out:  [3, 3, 3, 3, 3, 3]] [2, 2, 3]
