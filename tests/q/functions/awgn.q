x = ones(1, 4000)
y = awgn(x, 10)
print numel(y), abs(var(y) - 0.1) < 0.02
print abs(var(awgn(2 .* x, 10, "measured")) - 0.4) < 0.08
% out: 40001
% out: 1
