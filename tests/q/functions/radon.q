x = zeros(9,9)
x[4,4] = 1
[r,at] = radon(x,[0,90])
print size(r), " ", sum(r,0), " ", at[find(r[:,0] > 0.5)[0,0]]
print sum(radon(ones(3,5),45))
% out: [15, 2] [1, 1] 0
% out: 15
