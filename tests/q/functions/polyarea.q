print polyarea([0,2,2,0],[0,0,1,1]), " ", polyarea([0,1,0],[0,0,1]), " ", polyarea([0,0,1],[0,1,0])
% out: 2 0.5 0.5
