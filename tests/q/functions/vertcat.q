print vertcat([1,2],[3,4]), " ", size(vertcat(ones(2,3),ones(1,3),zeros(4,3)))
% out: [[1, 2],
% out:  [3, 4]] [7, 3]
