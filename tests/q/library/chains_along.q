% Sums along a dimension of expressions over long arrays: to the bit those of an array of the same elements, whatever lies
% between short rows and rows longer than a chunk, in blocks of rows and without.
function [] = check(name, h, w, d)
    x = rand(h, w) - 0.5
    y = rand(h, w)
    for dim = 0..1
        t = x - y
        t = t .* t
        assert(isequal(sum((x-y).^2, dim), sum(t, dim)))
        assert(isequal(mean((x-y).*(x-y), dim), mean(t, dim)))
        s = sqrt(sum((x-y).^2, dim))
        assert(isequal(s, sqrt(sum(t, dim))))
    endfor
    print name
endfunction

check("short rows", 40000, 3, 1)
check("rows of a piece", 80, 2048, 1)
check("odd rows", 70, 2049, 1)
check("long rows", 3, 70001, 1)
check("many rows", 1500, 77, 0)
check("a square", 600, 600, 0)
x = rand(30, 50, 60)
y = rand(30, 50, 60)
t = abs(x - y)
for dim = 0..2
    assert(isequal(sum(abs(x-y), dim), sum(t, dim)))
endfor
print size(sum(abs(x-y), 1))
% A dimension that no array has
print size(sum(abs(x-y), 5))
% out: short rows
% out: rows of a piece
% out: odd rows
% out: long rows
% out: many rows
% out: a square
% out: [30, 1, 60]
% out: [30, 50, 60]
