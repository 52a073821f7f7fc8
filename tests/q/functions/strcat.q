print strcat("a","b","c"), strcat("x", 1, " ", 2.5) % out: abcx1 2.5
c = cell(2)
print strcat("0", []), strcat("1", c[0], "2"), "."
% out: 012.
