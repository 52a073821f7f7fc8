f = x -> x
print f(1, 2)   % error[Q0309]: 'f' has 1 arguments, 2 are given
