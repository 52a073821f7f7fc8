print upper("abc1"), " ", upper({"a","b"})
% out: ABC1 {"A", "B"}
