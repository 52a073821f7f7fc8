seed(3)
x = normrnd(5, 2, 100, 100)
print size(x), " ", abs(mean(x) - 5) < 0.1, " ", abs(std(x) - 2) < 0.1
print size(normrnd(0, 1)), " ", size(normrnd([1,2,3], 1)), " ", size(normrnd(1, [[1],[2]]))
% out: [100, 100] 1 1
% out: [1, 1] [1, 3] [2, 1]
