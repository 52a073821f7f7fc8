[x, y, z] = three(8)
function [x, y, z] = three(n = 20)
    x = n
    y = n + 1
    z = n + 2
end
print x, y, z
[a, b, c] = three()
print a, b, c
% out: 8910
% out: 202122
