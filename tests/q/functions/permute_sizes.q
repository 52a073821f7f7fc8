print size(permute(ones(2,3,4),[2,0,1])) % out: [4, 2, 3]
