d = dictionary({"b","a"}, {2,[1,2]})
d["c"] = "text"
d[7] = 8
print d["a"], d["c"], d[7], d.Count, numel(keys(d))
m = containers.Map()
m["one"] = 1
print m.isKey("one"), m.keys(), m.Count
n = containers.Map
print n.Count
try
    print m["two"]
catch e
    print e
end
try
    print dictionary({"a"}, {1,2})
catch e
    print e
end
% An object of another kind is read by texts, too.
o = object(a := 1)
o["b"] = 2
print o.b, o["a"]
% out: [1, 2]text844
% out: 1{"one"}1
% out: 0
% out: the dictionary has no key 'two'
% out: 'dictionary' of 1 keys and 2 values
% out: 21
