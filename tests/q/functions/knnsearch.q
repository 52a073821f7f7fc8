print knnsearch([[0,0],[5,5]], [[4,4]])
% out: [1]
