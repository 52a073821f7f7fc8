s = struct("a",1,"b",[2,3])
print structfun(x -> sum(x),s), " ", structfun(x -> numel(x),s,"UniformOutput",false).b
% out: [[1],
% out:  [5]] 2
