s = struct("a", 3, "b", "text")
print s.a, s.b, isfield(s, "b")
% out: 3text1
