print iscell({1,"a"}), iscell([1,2]), iscell("a"), iscell({})
% out: 1001
