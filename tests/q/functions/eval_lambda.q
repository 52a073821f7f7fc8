f = eval("(x) -> 3*eye(x)")
print f(2)
% out: [[3, 0],
% out:  [0, 3]]
