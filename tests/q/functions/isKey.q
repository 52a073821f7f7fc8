d = dictionary("a", 1)
print isKey(d, "a"), isKey(d, {"a","b"})
% out: 1[1, 0]
