% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print isequal([1,2],[1,2])
print isequal([1,2],[1,3])
print isequal([1,2],[[1],[2]])
print isequal("a","a")
print isequal("a",1)
print isequal([],[])
print isequal(3,3)
% out: 1
% out: 0
% out: 0
% out: 1
% out: 0
% out: 1
% out: 1
