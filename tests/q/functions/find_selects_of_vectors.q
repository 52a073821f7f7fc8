% What find gives for a vector selects its elements, also if it is a single one.
v = [1,5,2,7]
print v[find(v > 2)], v[find(v > 6)], v[find(v > 100)]
k = find(v > 6)
v[k] = 0
print v, size(v[k])
v[find(v == 0)] += 4
print v
v[find(v > 100)] = 3
% Without the first column they are plain places, as what is computed of them.
print v[find(v > 2)[:,1]], v[k + 0]
w = zeros(2)
for i = 0..1
    w[i] = sum(v[find(v > i + 1)])
endfor
print w
c = transpose([1,5,2])
print c[find(c > 1)]
% out: [5, 7][7][]
% out: [1, 5, 2, 0][1, 1]
% out: [1, 5, 2, 4]
% out: [5, 4][1, 4]
% out: [11, 9]
% out: [5, 2]
