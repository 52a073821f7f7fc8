f = x -> x
print f + 1   % error[Q0324]: '+' is not defined for
