% `[v, k] = max(x)` of a part of an array in a parallel loop: the first of equals.
a = reshape(mod((0..59)*7, 11)/2 - 2, 6, 10)
v = zeros(6)
p = int(zeros(6))
q = int(zeros(10))
for i = 0..5
    [v[i], p[i]] = max(a[i, :])
endfor
print v[0..2], p                  % out: [3, 3, 3][3, 4, 5, 6, 7, 8]
for j = 0..9
    [least, q[j]] = min(a[0..2, j])
endfor
print q                           % out: [0, 1, 2, 1, 2, 0, 1, 2, 0, 1]
b = reshape(mod((0..99)*37, 41), 20, 5)
r = int(zeros(20))
for i = 0..19
    [x, k] = min([b[i, 0], b[i, 1], b[i, 2], b[i, 3]])
    r[i] = k*100 + int(x)
endfor
print r[0..9]                     % out: [0, 309, 1, 310, 2, 311, 3, 312, 100, 313]
