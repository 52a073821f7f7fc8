rand("seed", 3)
x = rand(4)
rand("seed", 3)
print all(x == rand(4))
% out: 1
