print size(squeeze(ones(2,1,3))), " ", size(squeeze(ones(1,1,4))) % out: [2, 3] [1, 4]
