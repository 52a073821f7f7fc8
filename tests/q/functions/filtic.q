% The state that filter has reached, from what went in and out; the numbers are Octave's.
print filtic([1,2,3], [2,0.5,0.25], [1,2], [3,4])
print filtic([1,2], [1,0.5,0.25], [1], [3])
x = [1, 4, 2, 0, 3, 5]
[b, a] = [[1, 0.5, 0.25], [1, -0.5, 0.125]]
y = filter(b, a, x)
z = filtic(b, a, y[[3,2]], x[[3,2]])
print max(abs(filter(b, a, x[4..5], z) - y[4..5])) < 1e-5
% out: [8.5, 4.375]
% out: [5.5, -0.25]
% out: 1
