[x, least] = quadprog([[2,0],[0,2]], [-2,-5], [[1,1]], [2])
print round(x .* 100), round(least .* 100)
print round(quadprog([[2,0],[0,2]], [-2,-5]) .* 100)
% out: [25, 175]-612
% out: [100, 250]
