o = object(first:=1, second:="b")
print fieldnames(o)
print numel(fieldnames(object()))
% out: {"first", "second"}
% out: 0
