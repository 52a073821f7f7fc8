seed(5)
x = randi(6,1,1000)
print min(x), max(x), " ", type(randi(6))
% out: 05 int
