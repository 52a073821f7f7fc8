x = zeros(9,9)
x[4,4] = 1
y = gaussian_filter(x, 1)
print size(gaussian_filter(ones(5,6), 1)), " ", abs(sum(y) - 1) < 0.01, " ", y[4,4] > y[4,5], " ", y[3,4] == y[4,3]
% out: [5, 6] 1 1 1
