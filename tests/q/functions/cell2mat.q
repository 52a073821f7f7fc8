print cell2mat({1,2,3}), cell2mat({[1,2],[3]})
% out: [1, 2, 3][1, 2, 3]
