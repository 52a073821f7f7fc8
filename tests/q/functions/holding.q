c = holding({}, 1)
c[1].a = 5
print c[1].a, holding(object(b := object(x := 1)), "b").x
for k = 0..1
    s[k].name = "n"    % warning[Q0127]: 's' grows with what is stored in it
    s[k].place.row = k
end
print numel(s), s[1].place.row
p.a.b = 3    % warning[Q0129]: 'p' begins as an object without fields
print p.a.b
e = []
for k = 0..2
    [e[k], at[k]] = max([1,k,2*k])   % warning[Q0127]: 'at' grows with what is stored in it
end
print e, at
% out: 51
% out: 21
% out: 3
% out: [1, 2, 4][0, 2, 2]
