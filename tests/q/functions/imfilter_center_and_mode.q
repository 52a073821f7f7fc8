print imfilter([1,2,3],[1,1],[0,0],"circular"), " ", imfilter([1,2,3],[1,1],[0,0],"safe"), " ", imfilter([1,2,3],[1,1],[0,0],"clamped") % out: [3, 5, 4] [3, 5, 3] [3, 5, 6]
