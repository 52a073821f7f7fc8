print sort(randperm(5)), " ", numel(randperm(9,3)), " ", numel(randperm(0))
% out: [0, 1, 2, 3, 4] 3 0
