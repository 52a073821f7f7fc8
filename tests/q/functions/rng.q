rng(4)
x = rand(3)
rng(4)
print all(x == rand(3))
% out: 1
