print symerr([1,2,3], [1,0,3])
% out: 1
