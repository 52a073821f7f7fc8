print rgb2gray(ones(1,2,3)), " ", rgb2gray([255,0,0]) % out: [1, 1] 76.245
