c = bwconncomp([[1,1,0,0],[0,0,0,1],[1,0,0,1]])
print c.NumObjects, " ", c.ImageSize, " ", c.Connectivity
for k = 0..c.NumObjects - 1
    print c.PixelIdxList[k]
endfor
print bwconncomp([[1,0],[0,1]]).NumObjects, bwconncomp([[1,0],[0,1]], 4).NumObjects, bwconncomp(zeros(3,3)).NumObjects
% out: 3 [3, 4] 8
% out: [0, 1]
% out: [7, 11]
% out: [8]
% out: 120
