print accumarray([0,2,0],[1,2,3]), " ", accumarray([1,1],1,4)
print accumarray([[0,0],[1,2],[0,0]],[1,2,3])
try
    print accumarray([5],[1],3)
catch e
    print e.message
end
for at = {zeros(3,0), zeros(0,0), zeros(0,2)}
    try
        print accumarray(at, [1,2,3])
    catch e
        print e.message
    end
    try
        print accumarray(at, [1,2,3], [2,2], sum)
    catch e
        print e.message
    end
end
% out: [4, 0, 2] [0, 2, 0, 0]
% out: [[4, 0, 0],
% out:  [0, 0, 2]]
% out: 'accumarray' at a position outside of size 1x3
% out: 'accumarray' with positions without a subscript
% out: 'accumarray' with positions without a subscript
% out: 'accumarray' with positions without a subscript
% out: 'accumarray' with positions without a subscript
% out: 'accumarray' with 0 positions and 3 values
% out: 'accumarray' with 0 positions and 3 values
