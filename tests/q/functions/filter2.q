print filter2(ones(1,3),[1,2,3]), " ", filter2([[1,2],[3,4]],eye(2),"full"), " ", filter2(ones(2,2),ones(3,3),"valid")
% out: [3, 6, 5] [[4, 3, 0],
% out:  [2, 5, 3],
% out:  [0, 2, 1]] [[4, 4],
% out:  [4, 4]]
