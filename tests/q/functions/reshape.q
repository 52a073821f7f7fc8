print reshape(0..5,2,3), " ", reshape([[1,2],[3,4]],[1,4])
% out: [[0, 1, 2],
% out:  [3, 4, 5]] [1, 2, 3, 4]
print size(reshape(0..11, [], 4)), size(reshape(0..11, 2, [], 3)), size(reshape(zeros(0,3), [], 2))
try
    y = reshape(0..11, [], 5)
catch e
    print e
endtry
% out: [3, 4][2, 2, 3][0, 2]
% out: an array of size 1x12 cannot be reshaped to 2x5
