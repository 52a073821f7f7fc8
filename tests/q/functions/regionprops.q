r = regionprops([[1,1,0],[0,0,0],[0,1,1]])
print numel(r), " ", r[0].Area, r[0].Centroid, r[0].BoundingBox, " ", r[1].Centroid, r[1].BoundingBox
% out: 2 2[0.5, 0][0, 0, 2, 1] [1.5, 2][1, 2, 2, 1]
