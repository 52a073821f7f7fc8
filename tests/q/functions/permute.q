a = reshape(0..5,1,2,3)
b = permute(a,[2,1,0])
print size(b), " ", b[2,1]
% out: [3, 2] 5
