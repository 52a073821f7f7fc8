seed(42)
a = rand(3)
seed(42)
b = rand(3)
seed(43)
print all(a == b), all(a == rand(3))
% out: 10
