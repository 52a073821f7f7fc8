o = object(a:=1)
print isfield(o,"a"), isfield(o,"b"), isfield(3,"a")
% out: 100
