% Variables of a .mat file by name: an object of these, or their values in the order of the names.
save("chosen.mat", "a", [1,2], "b", 3, "c", [[4],[5]])
s = load("chosen.mat", "b")
print s.b
try
    print s.a
catch e
    print e
endtry
[c, a] = load("chosen.mat", "c", "a")
print size(c), a
try
    load("chosen.mat", "d")
catch e
    print e
endtry
save("chosen.csv", [1,2])
try
    load("chosen.csv", "a")
catch e
    print e
endtry
save("chosen.dat", 1)
try
    load("chosen.dat", "a")
catch e
    print e
endtry
% out: 3
% out: the object has no field 'a'
% out: [2, 1][1, 2]
% out: load: 'chosen.mat' has no variable 'd'
% out: load: the values in 'chosen.csv' have no names
% out: load: the values in 'chosen.dat' have no names
