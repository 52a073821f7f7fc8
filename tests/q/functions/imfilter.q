print imfilter([1,2,3],[1,1,1]), " ", imfilter(eye(3),ones(3,3))[1,1] % out: [5, 6, 7] 3
