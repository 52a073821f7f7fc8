d = dictionary({"b","a"}, {1,2})
print values(d), values(d, {"b"})
% out: {2, 1}{1}
