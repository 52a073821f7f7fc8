c = cell(2)
c[0] = "a"
print c, " ", size(cell(2,3))
% out: {"a", []} [2, 3]
