n = 3
assert(n < 2, "n is " + n)   % error[Q0315]: n is 3
