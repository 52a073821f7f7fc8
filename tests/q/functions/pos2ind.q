print pos2ind([3,4,5],[1,3,2]), " ", pos2ind([3,4],[2,1]) % out: 37 9
