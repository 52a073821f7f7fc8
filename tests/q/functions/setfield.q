o = object(a:=1)
setfield(o, "b", "two")
print o.b, getfield(o, "a"), numel(fieldnames(o)), fieldnames(o)[1]
s = struct("x", 3, "y", [1,2])
print s.x, s.y
try
    setfield(3, "a", 1)
catch e
    print e
end
% out: two12b
% out: 3[1, 2]
% out: argument 1 of 'setfield' needs an object, not a 'int'
