save("q_s.mat", "x", [[1,2,3],[4,5,6]], "name", "Grüße", "n", 3, "z", [1+2i,3], "e", [])
s = load("q_s.mat")
print s.x, s.name, s.n, s.z
% out: [[1, 2, 3],
% out:  [4, 5, 6]]Grüße3[1+2j, 3+0j]
print type(s.n), size(s.e)
% out: int[0, 0]
[x, name] = load("q_s.mat")
print x[1,2], name
% out: 6Grüße
t = object()
t.inner = object()
t.inner.list = {1.5, "two", [3,4]}
t.cube = reshape(0..23, [2,3,4])
t.bytes = vec[uint8](3)
save("q_s.mat", t)
u = load("q_s.mat")
print u.inner.list, u.cube[1,2,3], sum(abs(u.cube - t.cube)), type(u.bytes)
% out: {1.5, "two", [3, 4]}230vec[uint8]
try
    save("q_s.mat", 1)
catch e
    print e
end
% out: save: the values in a .mat file have names
