o = object(a:=1)
print getfield(o, "a")
try
    print getfield(o, "b")
catch e
    print e
end
% out: 1
% out: the object has no field 'b'
