% Copies keep what is shared; text, sums and copies of a structure that holds itself many times over end.
c = {1}
for i = 1..40
    c = {c, c}
endfor
d = copy(c)
print numel(d), " ", strlen(str(c)) > 1000
a = object()
a.me = a
b = copy(a)
print b == b.me, " ", b == a
% out: 2 1
% out: 1 0
