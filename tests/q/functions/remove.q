d = dictionary({"a","b","c"}, {1,2,3})
remove(d, "a")
print keys(remove(d, {"b"}))
try
    remove(d, "a")
catch e
    print e
end
% out: {"c"}
% out: the dictionary has no key 'a'
