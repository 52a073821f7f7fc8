[x, least, found] = linprog([-1,-2], [[1,1]], [4], [], [], [0,0], [3,3])
print round(x .* 100), round(least .* 100), found
print round(linprog([1,2,3], [], [], [[1,1,1]], [1], [0,0,0]) .* 100)
[x, least, found] = linprog([-1], [[-1]], [0])
print found
% out: [100, 300]-7001
% out: [100, 0, 0]
% out: -2
