print logspace(0,2,3), " ", numel(logspace(0,1))
% out: [1, 10, 100] 50
