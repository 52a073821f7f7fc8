print imregionalmin(imimposemin([3.0,1,2,0,5], [1,0,0,0,0]))
% out: [1, 0, 0, 0, 0]
