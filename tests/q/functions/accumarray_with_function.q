print accumarray([0,1,0,3],[5,2,7,1],[1,5],max), " ", accumarray([0,1,0],[5,2,7],v -> numel(v))
print accumarray([[0,0],[1,1],[0,0]],[1,2,5],[2,2],v -> min(v))
try
    print accumarray([9],[1],[1,2],max)
catch e
    print e.message
end
% out: [7, 2, 0, 1, 0] [2, 1]
% out: [[1, 0],
% out:  [0, 2]]
% out: 'accumarray' at a position outside of size 1x2
