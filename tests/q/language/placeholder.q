f = (x, y) -> x - y
g = f(_, 3)
print g(10), " ", f(_, _)(1, 5)
print cellfun(max(_, 4), {1, 7})
% out: 7 -4
% out: {4, 7}
