print lower("ABC1"), " ", lower({"A","b"})
% out: abc1 {"a", "b"}
