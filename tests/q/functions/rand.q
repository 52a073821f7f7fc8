x = rand(50,20)
print size(x), all(x >= 0), all(x < 1), " ", type(rand())
% out: [50, 20]11 scalar
