print isfield(struct("a",1),{"a","z"}), " ", isfield(struct("a",1),"a"), " ", isfield(5,{"a"})
% out: [1, 0] 1 [0]
