o = object(a := 1, b := 2)
print fieldnames(rmfield(o, "a"))
% out: {"b"}
