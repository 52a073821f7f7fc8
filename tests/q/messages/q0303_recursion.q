f = x -> f(x + 1)   % error[Q0303]: more than 50000 nested calls
f(0)
