x = randi([3,5], 200)
print min(x), " ", max(x), " ", all(x == round(x))
% out: 3 5 1
