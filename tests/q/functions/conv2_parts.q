print conv2(ones(3,3),ones(3,3),"same"), " ", conv2(ones(3,3),ones(2,2),"valid")
% out: [[4, 6, 4],
% out:  [6, 9, 6],
% out:  [4, 6, 4]] [[4, 4],
% out:  [4, 4]]
