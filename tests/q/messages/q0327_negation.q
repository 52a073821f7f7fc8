print abs(-2147483647-1)   % error[Q0327]: integer overflow
