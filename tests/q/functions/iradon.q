x = zeros(16,16)
x[5..9,4..11] = 1
y = iradon(radon(x), 0..179, 16)
print abs(mean(y[6..8,6..9]) - 1) < 0.1, " ", abs(mean(y[0..2,0..15])) < 0.05
% out: 1 1
